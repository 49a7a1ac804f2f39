// JupyterLab takes Space, Enter and the arrows for its cells, but not from an element that says this.
function keep({ target }) {
  if (!target.closest(".wmt-own-keys")) return;
  target.dataset.lmSuppressShortcuts = "true";
  const radios = target.closest(".widget-radio-box");
  if (radios && !radios.role) group(radios);
}

// ipywidgets gives its radio buttons no name, and without one the arrows do not go from one to the next.
function group(radios) {
  const name = crypto.randomUUID();
  for (const radio of radios.querySelectorAll("input")) radio.name = name;
  radios.role = "radiogroup";
  radios.ariaLabel = radios.parentElement.querySelector(".widget-label").textContent;
}

export default {
  initialize() {
    document.addEventListener("focusin", keep);
    return () => document.removeEventListener("focusin", keep);
  },
};

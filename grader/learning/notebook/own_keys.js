// JupyterLab takes Space and Enter for its cells, but not from an element that says this.
function keep({ target }) {
  if (target.closest(".wmt-own-keys")) target.dataset.lmSuppressShortcuts = "true";
}

export default {
  initialize() {
    document.addEventListener("focusin", keep);
    return () => document.removeEventListener("focusin", keep);
  },
};

// What the widgets share: `widgets.script` puts it before each of them.

// JupyterLab takes digits, letters, arrows and Space for its cells, but not from an element that
// says this.
function keepKeys(element) {
  element.dataset.lmSuppressShortcuts = "true";
  return element;
}

function make(tag, className = "", text = "") {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

// Fills an element with pieces of a text, each with whether it is code.
function filled(element, pieces) {
  element.append(...pieces.map(([text, isCode]) => (isCode ? make("code", "", text) : text)));
  return element;
}


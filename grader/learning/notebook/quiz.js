// Draws a question and passes on what its reader does. All content comes from Python as `view`;
// only the answer that is chosen and not yet locked in is kept here.

export default { render };

function render({ model, el }) {
  const root = make("section", "wmt-question");
  root.tabIndex = -1; // takes the focus of a button that is gone
  el.replaceChildren(root);
  let picked = "";
  const send = {
    lock: (sure) => model.send({ lock: picked, sure }),
    goOn: () => model.send({ go_on: true }),
    pick: (letter) => {
      picked = letter;
      for (const button of root.querySelectorAll(".lock button.locks")) button.disabled = false;
    },
  };
  let number;
  const update = () => {
    const view = model.get("view");
    const hadFocus = root.contains(document.activeElement);
    const isNext = number !== undefined && view.number !== number;
    if (isNext || view.options.some(([letter, , look]) => letter === picked && look)) picked = "";
    number = view.number;
    root.replaceChildren(...drawn(view, picked, send));
    root.setAttribute("aria-label", view.heading);
    if (hadFocus) {
      const first = root.querySelector(".next") ?? root.querySelector("input:enabled");
      (first ?? root).focus({ preventScroll: isNext });
    }
    if (isNext) root.scrollIntoView(); // the next question is read from its first line on
  };
  root.addEventListener("keydown", (event) => choose(event, root));
  model.on("change:view", update);
  update();
  let written;
  const observer = new ResizeObserver(() => (written ??= hideWritten(el, model.get("view"))));
  observer.observe(root);
  return () => {
    if (written) written.hidden = false;
    observer.disconnect();
    model.off("change:view", update);
  };
}

function drawn(view, picked, send) {
  const parts = [make("b", "heading", view.heading)];
  if (view.text.length) parts.push(filled(make("p"), view.text));
  if (view.code.length) parts.push(work(view));
  parts.push(options(view, picked, send));
  if (!view.chosen) parts.push(locks(view, picked, send));
  const status = make("div", "status");
  status.setAttribute("role", "status");
  if (view.message.length) status.append(filled(make("p"), view.message));
  status.append(...view.answer.map(explanation));
  parts.push(status);
  if (view.button && view.chosen) {
    const next = button(view.button, send.goOn);
    next.className = "next";
    parts.push(next);
  }
  return parts;
}

// Native radio buttons: the browser brings the arrow keys, and a label's whole text is the target.
// What is called by a number is a line of code.
function options(view, picked, send) {
  const group = make("div", "options");
  group.setAttribute("role", "radiogroup");
  group.setAttribute("aria-label", `Your answer to ${view.heading}`);
  const isCode = /^\d/.test(view.options[0][0]);
  group.classList.toggle("listing", isCode);
  const name = `answer-${Math.random()}`; // its own group, on a page over plain HTTP too
  view.options.forEach(([letter, text, look]) => {
    const radio = keepKeys(make("input"));
    Object.assign(radio, { type: "radio", name, value: letter });
    radio.checked = letter === (view.chosen || picked);
    radio.disabled = Boolean(view.chosen || look);
    radio.addEventListener("change", () => send.pick(letter));
    const option = make("label", `option ${look}`.trim());
    option.append(radio, make("b", "letter", letter), isCode ? listed(text[0][0]) : filled(make("span"), text));
    if (look) option.append(make("b", look, look === "good" ? "✓" : "✗"));
    group.append(option);
  });
  return group;
}

function listed(code) {
  const lines = make("code");
  for (const text of code.split("\n")) {
    const line = make("span", "hang", text || " ");
    line.style.setProperty("--in", text.search(/\S|$/));
    lines.append(line);
  }
  return lines;
}

function locks(view, picked, send) {
  const row = make("div", "lock");
  row.setAttribute("role", "group");
  row.setAttribute("aria-label", "Lock it in");
  for (const [words, sure] of view.locks) {
    const lock = button(words, () => send.lock(sure));
    lock.className = "locks";
    lock.disabled = !picked;
    row.append(lock);
  }
  if (view.button) row.append(button(view.button, send.goOn));
  return row;
}

function explanation({ look, heading, why }) {
  const paragraph = make("p");
  paragraph.append(filled(make("b", look), heading), make("br"), filled(make("span"), why));
  return paragraph;
}

// The letter of an answer chooses it, and so does its number up to 9, wherever in the question the
// focus is.
function choose(event, root) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const radios = [...root.querySelectorAll(".options:not(.listing) input:enabled")];
  const radio = radios.find((each) => each.value === event.key.toUpperCase()) ?? radios[Number(event.key) - 1];
  if (!radio) return;
  event.preventDefault();
  radio.click();
  radio.focus();
}

// The output above is the same question for pages without widgets.
function hideWritten(el, { replaces }) {
  const isAbove = (each) => each.compareDocumentPosition(el) & Node.DOCUMENT_POSITION_FOLLOWING;
  const written = replaces && [...document.querySelectorAll(replaces)].filter(isAbove).at(-1);
  if (written) written.hidden = true;
  return written;
}

function work({ code, beside }) {
  if (!beside.length) return coloured(code);
  const both = make("div", "work");
  both.append(coloured(code), coloured(beside.map(([line, look]) => [`${line}\n`, look])));
  return both;
}

function coloured(pieces) {
  const code = make("pre", "");
  code.append(...pieces.map(([text, name]) => (name ? make("span", name, text) : text)));
  return code;
}

function button(text, act) {
  const made = keepKeys(make("button", "", text));
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

// Draws the device map and passes on what its reader asks for. All content comes from Python as
// `view`; only what is open and what has the focus is kept here.

const FEW_ROWS = 60; // so many are open at first
const MOST_SIBLINGS = 200; // of more, the first are drawn

export default { render };

function render({ model, el }) {
  const parts = skeleton();
  el.replaceChildren(parts.map);
  const tree = new Tree(parts.tree, (path) => model.send({ pick: path }));
  parts.buttons.addEventListener("click", (event) => {
    const { device } = event.target.dataset;
    if (device) model.send({ move: device });
    if (event.target === parts.again) model.send({ start_over: true });
  });
  const update = () => refresh(parts, tree, model.get("view"));
  model.on("change:view", update);
  update();
  let table;
  const observer = new ResizeObserver(() => (table ??= hideTable(el))); // only now is it in the page
  observer.observe(parts.tree);
  return () => {
    if (table) table.hidden = false;
    observer.disconnect();
    model.off("change:view", update);
  };
}

function skeleton() {
  const map = make("section", "wmt-map wmt-view");
  const heading = make("b", "heading");
  const buttons = make("div", "buttons");
  buttons.setAttribute("role", "group");
  const again = button("Back to your module");
  const message = make("p", "message");
  message.setAttribute("role", "status");
  const frame = make("div", "frame");
  const tree = make("ul", "tree");
  frame.append(tree);
  const given = make("p", "given");
  const legend = make("p", "legend");
  map.append(heading, buttons, message, frame, given, legend);
  return { map, heading, buttons, again, message, tree, given, legend };
}

function refresh(parts, tree, view) {
  parts.map.setAttribute("aria-label", `Device map of ${view.rows[0].type}`);
  parts.heading.textContent = view.heading;
  if (parts.guessing !== view.guessing) addButtons(parts, view);
  parts.map.classList.toggle("guessing", view.guessing);
  parts.message.textContent = view.message;
  parts.given.textContent = view.given_up.map((each) => `Not looked into: ${each}.`).join(" ");
  parts.legend.textContent = view.legend;
  tree.show(view.rows);
}

// The output above is the same map for pages without widgets.
function hideTable(el) {
  const tables = [...document.querySelectorAll(".wmt-map:not(.wmt-view)")];
  const isAbove = (each) => each.compareDocumentPosition(el) & Node.DOCUMENT_POSITION_FOLLOWING;
  const table = tables.filter(isAbove).at(-1);
  if (table) table.hidden = true;
  return table;
}

// Before a prediction is told, there is one move: what `.cuda()` does.
function addButtons(parts, { devices, guessing }) {
  const hadFocus = parts.buttons.contains(document.activeElement);
  parts.guessing = guessing;
  parts.buttons.setAttribute("aria-label", "Move a copy of the module");
  parts.buttons.replaceChildren(make("span", "", guessing ? "Then move it:" : "Move a copy to"));
  for (const device of devices) {
    const move = button(guessing ? ".cuda()" : device);
    move.dataset.device = device;
    move.setAttribute("aria-label", `Move a copy to ${device}`);
    parts.buttons.append(move);
  }
  if (!guessing) parts.buttons.append(parts.again);
  if (hadFocus) parts.buttons.querySelector("button").focus();
}

// A branch is a native disclosure and a guess a native checkbox, so the browser brings the keys.
class Tree {
  constructor(list, pick) {
    this.list = list;
    this.pick = pick; // called with the path of a tensor that is expected to stay, or no longer
    this.open = null; // the paths of the open branches, once there was a first view
  }

  show(rows) {
    const drawn = JSON.stringify(rows.map((row) => ({ ...row, picked: row.picked !== undefined })));
    if (drawn === this.drawn) return this.tick(rows);
    [this.drawn, this.rows] = [drawn, rows];
    const root = nested(rows);
    const focused = this.list.contains(document.activeElement) && document.activeElement.closest("li").dataset.path;
    this.open ??= firstOpen(root, rows);
    this.list.setAttribute("aria-label", `Tensors of ${root.row.type}`);
    this.list.classList.toggle("still", !rows.some((row) => row.change));
    this.list.replaceChildren(this.item(root));
    if (focused) this.list.querySelector(`[data-path="${CSS.escape(focused)}"] :is(summary, input)`)?.focus();
  }

  // A checkbox is ticked when Space comes up again: one that was drawn anew in between loses the key.
  tick(rows) {
    rows.forEach(({ picked }, place) => (this.rows[place].picked = picked));
    const picked = new Map(rows.map((row) => [row.path, row.picked]));
    for (const box of this.list.querySelectorAll("input")) box.checked = picked.get(box.closest("li").dataset.path);
  }

  item({ row, children }) {
    const item = make("li");
    item.dataset.path = row.path;
    item.append(children.length ? this.branch(row, children) : this.leaf(row));
    return item;
  }

  leaf(row) {
    const line = rowLine(row);
    line.querySelector("input")?.addEventListener("change", () => this.pick(row.path));
    return line;
  }

  branch(row, children) {
    const branch = make("details");
    const summary = keepKeys(make("summary"));
    summary.append(rowLine(row));
    branch.append(summary);
    const fill = () => {
      this.open[branch.open ? "add" : "delete"](row.path);
      if (!branch.open || branch.children[1]) return; // what is closed is drawn when it is opened
      const list = make("ul");
      list.append(...children.slice(0, MOST_SIBLINGS).map((child) => this.item(child)));
      const more = children.length - MOST_SIBLINGS;
      if (more > 0) list.append(make("li", "rest", `and ${more} more`));
      branch.append(list);
    };
    branch.open = this.open.has(row.path);
    fill();
    branch.addEventListener("toggle", fill);
    return branch;
  }
}

function nested(rows) {
  const path = [];
  for (const row of rows) {
    const node = { row, children: [] };
    path.length = row.level;
    if (row.level) path[row.level - 1].children.push(node);
    path.push(node);
  }
  return path[0];
}

// As many levels as fit; a small module is all open.
function firstOpen(root, rows) {
  const open = new Set();
  let level = [root];
  let drawn = 1;
  while (level.length) {
    const below = level.flatMap((node) => node.children);
    drawn += below.length;
    if (drawn > FEW_ROWS && open.size) break;
    for (const node of level) open.add(node.row.path);
    level = below;
  }
  return open;
}

// Not of the class "row": nbgrader's extension styles that one in all of JupyterLab, as Bootstrap does.
function rowLine(row) {
  const asks = row.picked !== undefined;
  const line = make(asks ? "label" : "div", "line");
  line.style.setProperty("--level", row.level);
  line.classList.toggle("unregistered", !row.registered);
  line.classList.toggle("branch", Boolean(row.type));
  if (asks) line.classList.add("pickable");
  else if (row.change) line.classList.add(row.change.startsWith("stayed") ? "stayed" : "changed");
  const name = make("span", "name");
  name.append(make("span", "mark", row.sign));
  name.append(make("span", "", row.name));
  if (row.type && row.type !== row.name) name.append(make("span", "type", row.type));
  const devices = make("span", "devices");
  devices.append(...row.badges.map(badge));
  line.append(name, devices);
  if (row.shape) {
    const change = make("span", "change");
    if (asks) change.append(Object.assign(keepKeys(make("input")), { type: "checkbox", checked: row.picked }));
    change.append(row.change);
    line.append(change, make("span", "shape", `${row.shape} ${row.dtype}`));
  }
  line.append(make("span", "words", row.words));
  return line;
}

function badge({ device, line, look, number }) {
  const shown = make("span", `device ${look}`, device);
  shown.style.border = `2px ${line}`.replace("2px double", "4px double");
  if (number) shown.append(` × ${number}`);
  return shown;
}

function button(text) {
  const made = keepKeys(make("button", "", text));
  made.type = "button";
  return made;
}

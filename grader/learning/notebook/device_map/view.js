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
  tree.setAttribute("role", "tree");
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

// The tree pattern of the ARIA Authoring Practices: one tab stop, arrow keys within.
class Tree {
  constructor(list, pick) {
    this.list = list;
    this.pick = pick; // called with the path of a tensor that is expected to stay, or no longer
    this.open = null; // the paths of the open branches, once there was a first view
    this.focused = "";
    list.addEventListener("keydown", (event) => this.onKey(event));
    list.addEventListener("click", (event) => this.onClick(event));
    list.addEventListener("focusin", (event) => this.onFocus(event));
  }

  show(rows) {
    this.root = nested(rows);
    this.still = !rows.some((row) => row.change);
    this.open ??= firstOpen(this.root, rows);
    this.focused ||= this.root.row.path;
    this.draw();
  }

  draw() {
    const hadFocus = this.list.contains(document.activeElement);
    this.list.setAttribute("aria-label", `Tensors of ${this.root.row.type}`);
    this.list.classList.toggle("still", this.still);
    this.list.replaceChildren(this.item(this.root, 1, 1));
    const kept = this.find(this.focused) ?? this.list.firstElementChild;
    kept.tabIndex = 0;
    if (hadFocus) kept.focus();
  }

  item(node, position, siblings) {
    const { row, children } = node;
    const item = keepKeys(make("li"));
    item.setAttribute("role", "treeitem");
    item.setAttribute("aria-level", String(row.level + 1));
    item.setAttribute("aria-posinset", String(position));
    item.setAttribute("aria-setsize", String(siblings));
    item.setAttribute("aria-label", label(row));
    item.dataset.path = row.path;
    if (row.picked !== undefined) item.setAttribute("aria-checked", String(row.picked));
    item.tabIndex = -1;
    item.append(rowLine(row, children.length > 0, this.open.has(row.path)));
    if (children.length) {
      item.setAttribute("aria-expanded", String(this.open.has(row.path)));
      if (this.open.has(row.path)) item.append(this.group(node));
    }
    return item;
  }

  group(node) {
    const group = make("ul");
    group.setAttribute("role", "group");
    const all = node.children.length;
    const drawn = node.children.slice(0, MOST_SIBLINGS);
    group.append(...drawn.map((child, index) => this.item(child, index + 1, all)));
    if (all > MOST_SIBLINGS) group.append(make("li", "rest", `and ${all - MOST_SIBLINGS} more`));
    return group;
  }

  find(path) {
    return this.list.querySelector(`[data-path="${CSS.escape(path)}"]`);
  }

  items() {
    return [...this.list.querySelectorAll('[role="treeitem"]')];
  }

  focus(item) {
    if (!item) return;
    this.focused = item.dataset.path;
    for (const each of this.items()) each.tabIndex = each === item ? 0 : -1;
    item.focus();
  }

  toggle(item, open) {
    if (open) this.open.add(item.dataset.path);
    else this.open.delete(item.dataset.path);
    this.focused = item.dataset.path;
    this.draw();
  }

  press(item) {
    const expanded = item.getAttribute("aria-expanded");
    if (item.hasAttribute("aria-checked")) this.pick(item.dataset.path);
    else if (expanded) this.toggle(item, expanded === "false");
  }

  onFocus(event) {
    const item = event.target.closest('[role="treeitem"]');
    if (item) this.focused = item.dataset.path;
  }

  onClick(event) {
    const item = event.target.closest('[role="treeitem"]');
    if (!item) return;
    this.focus(item);
    this.press(item);
  }

  onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const item = event.target.closest('[role="treeitem"]');
    if (!item) return;
    const items = this.items();
    const index = items.indexOf(item);
    const actions = {
      ArrowDown: () => this.focus(items[index + 1]),
      ArrowUp: () => this.focus(items[index - 1]),
      Home: () => this.focus(items[0]),
      End: () => this.focus(items.at(-1)),
      ArrowRight: () => this.inward(item),
      ArrowLeft: () => this.outward(item),
      Enter: () => this.press(item),
      " ": () => this.press(item),
    };
    if (!(event.key in actions)) return;
    event.preventDefault();
    event.stopPropagation();
    actions[event.key]();
  }

  inward(item) {
    const expanded = item.getAttribute("aria-expanded");
    if (expanded === "false") this.toggle(item, true);
    else if (expanded) this.focus(item.querySelector('[role="treeitem"]'));
  }

  outward(item) {
    if (item.getAttribute("aria-expanded") === "true") this.toggle(item, false);
    else this.focus(item.parentElement.closest('[role="treeitem"]'));
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

function label(row) {
  const where = row.badges.map((each) => each.device).join(", ");
  const kind = row.type ? `module ${row.type}` : `on ${where}, shape ${row.shape}, ${row.dtype}`;
  const change = row.picked === undefined ? row.change : row.picked && "you expect it to stay";
  return [row.name, row.name && kind, change, row.summary, row.words].filter(Boolean).join(", ");
}

// Not of the class "row": nbgrader's extension styles that one in all of JupyterLab, as Bootstrap does.
function rowLine(row, hasChildren, isOpen) {
  const line = make("div", "line");
  line.style.setProperty("--level", row.level);
  line.classList.toggle("unregistered", !row.registered);
  line.classList.toggle("branch", Boolean(row.type));
  if (row.picked !== undefined) line.classList.add("pickable");
  else if (row.change) line.classList.add(row.change.startsWith("stayed") ? "stayed" : "changed");
  const name = make("span", "name");
  name.append(make("span", "mark", hasChildren ? (isOpen ? "▾" : "▸") : (row.sign ?? "")));
  name.append(make("span", "", row.name));
  if (row.type && row.type !== row.name) name.append(make("span", "type", row.type));
  const devices = make("span", "devices");
  devices.append(...row.badges.map(badge));
  line.append(name, devices);
  if (row.shape) {
    line.append(make("span", "change", row.change), make("span", "shape", `${row.shape} ${row.dtype}`));
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

// A device map: the recorded steps of a module, taken in any order.
const CALL = "call";
const MOST_NAMED = 3; // as in a notebook

function mountMap(place, data, onStep = () => {}) {
  let step = data.shown[data.start];
  let state = data.state;
  let picked = data.asked && new Set();
  const view = () => {
    if (picked) return { ...data.asked, rows: data.asked.rows.map((row) => marked(row, picked)) };
    const { heading, message, rows, changes = {} } = step;
    return {
      heading, message, guessing: false,
      devices: [data.target, "cpu"], legend: data.legend, given_up: [],
      rows: rows.map((row) => changed(rowOf(data, row), changes)),
    };
  };
  const act = (action) => {
    const [number, after] = data.steps[`${state} ${action}`];
    state = after;
    step = data.shown[number];
    if (picked) step = scored(step, picked, data);
    picked = null;
    refresh();
    onStep(step);
  };
  const model = new Model(view(), (message) => {
    if ("pick" in message) toggle(picked, message.pick);
    if ("move" in message) return act(message.move);
    if ("start_over" in message) {
      state = data.state;
      step = data.shown[data.start];
    }
    refresh();
  });
  const call = make("button", "", "Call it");
  call.type = "button";
  call.addEventListener("click", () => act(CALL));
  const refresh = () => {
    call.hidden = Boolean(picked) || !(`${data.state} ${CALL}` in data.steps);
    model.set("view", view());
  };
  place.replaceChildren();
  const shown = make("div");
  place.append(shown, call);
  mapView.render({ model, el: shown });
  refresh();
}

function toggle(picked, path) {
  if (!picked) return;
  if (picked.has(path)) picked.delete(path);
  else picked.add(path);
}

function marked(row, picked) {
  return row.picked === undefined ? row : { ...row, picked: picked.has(row.path) };
}

// A row may hold only what differs from an earlier one.
function rowOf({ rows }, number) {
  const row = rows[number];
  return "as" in row ? { ...rows[row.as], ...row } : row;
}

function changed(row, changes) {
  return row.path in changes ? { ...row, change: changes[row.path] } : row;
}

// As `scored_guess` in grader/learning/notebook/device_map/history.py, whose words these are.
function scored(step, picked, data) {
  const { told } = data;
  const missed = told.stayed.filter(([path]) => !picked.has(path));
  const wrong = told.moved.filter(([path]) => picked.has(path));
  const surprises = new Set([...missed, ...wrong].map(([path]) => path));
  const changes = {};
  for (const { path, change } of step.rows.map((row) => rowOf(data, row))) {
    if (surprises.has(path) && change) changes[path] = `${change}: a surprise`;
  }
  return { ...step, changes, message: `${verdict(missed, wrong)} ${step.message}` };
}

function verdict(missed, wrong) {
  if (!missed.length && !wrong.length) return "You predicted it right.";
  const sentences = [];
  if (missed.length) sentences.push(`You did not expect ${names(missed)} to stay.`);
  const they = wrong.length === 1 ? "it" : "they";
  if (wrong.length) sentences.push(`You expected ${names(wrong)} to stay, but ${they} moved.`);
  return sentences.join(" ");
}

function names(tensors) {
  const shown = tensors.slice(0, MOST_NAMED).map(([, name]) => name);
  const more = tensors.length - shown.length;
  if (more) shown.push(`${more} more`);
  return [shown.slice(0, -1).join(", "), shown.at(-1)].filter(Boolean).join(" and ");
}

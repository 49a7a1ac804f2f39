// The exam: ten modules to judge, drawn from a seed as in grader/course/items/drawing.py, and each of
// them explained.
function mountExam(place, data) {
  const begun = journal.read().exams.at(-1);
  if (begun) sitExam(place, data, begun);
  else offerExam(place, data);
}

function offerExam(place, data) {
  const form = make("form", "wmt-exam");
  const label = make("label", "", "Seed from your teacher, if you have one ");
  const seed = make("input");
  seed.name = "seed";
  seed.autocomplete = "off";
  label.append(seed);
  form.append(label, make("button", "", "Begin the exam"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const sitting = { seed: seed.value.trim() || newSeed(), answers: {} };
    journal.sit(sitting);
    sitExam(place, data, sitting, true);
  });
  place.replaceChildren(form);
}

function newSeed() {
  const bytes = crypto.getRandomValues(new Uint8Array(4));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function sitExam(place, data, sitting, hasFocus = false) {
  const all = data.modules.map((module) => ({ ...module, view: { ...data.shared, ...module.view } }));
  const modules = await drawn(sitting.seed, { ...data, modules: all });
  const waiting = () => modules.filter(({ view }) => !(view.number in sitting.answers));
  const view = () => {
    const [{ view: first }, ...rest] = waiting();
    const heading = `Module ${modules.length - rest.length} of ${modules.length}, exam ${sitting.seed}`;
    return { ...first, heading };
  };
  if (!waiting().length) return showResult(place, data, sitting, modules);
  const model = new Model(view(), ({ lock, sure }) => {
    sitting.answers[waiting()[0].view.number] = { choice: lock, sure };
    journal.sit(sitting);
    if (waiting().length) model.set("view", view());
    else showResult(place, data, sitting, modules, true);
  });
  const shown = make("div");
  place.replaceChildren(shown);
  questionView.render({ model, el: shown });
  if (hasFocus) shown.querySelector("input")?.focus();
}

async function drawn(seed, { modules, drawn: counts }) {
  const ordered = await inOrder(`draw ${seed}`, modules);
  const some = Object.entries(counts).flatMap(([kind, count]) => ofKind(kind, count, ordered));
  return inOrder(`order ${seed}`, some);
}

// As many different bugs as there are come first, each kind of bug in the order of the draw.
function ofKind(kind, count, ordered) {
  const seen = {};
  const ranked = ordered.filter((module) => module.kind === kind).map((module) => {
    seen[module.bug] = (seen[module.bug] ?? -1) + 1;
    return { rank: seen[module.bug], module };
  });
  ranked.sort((a, b) => a.rank - b.rank); // stable
  return ranked.slice(0, count).map((each) => each.module);
}

async function inOrder(salt, modules) {
  const keyed = modules.map(async (module) => [await digest(`${salt} ${module.view.number}`), module]);
  const sorted = (await Promise.all(keyed)).sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([, module]) => module);
}

async function digest(text) {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function showResult(place, data, sitting, modules, hasFocus = false) {
  const region = make("section", "wmt-result");
  region.setAttribute("aria-label", "Your result");
  region.tabIndex = -1;
  const rows = modules.map((module) => explained(module, sitting.answers[module.view.number]));
  const found = rows.filter(({ isRight }) => isRight).length;
  const heading = `Exam ${sitting.seed}: ${found} of ${modules.length} read right`;
  const another = make("button", "", "Another exam");
  another.type = "button";
  another.addEventListener("click", () => offerExam(place, data));
  region.append(make("h3", "", heading), ...rows.flatMap(({ parts }) => parts), toFix(data, sitting, modules), another);
  place.replaceChildren(region);
  if (hasFocus) region.focus();
}

// Why the outcome is right, whatever was said: a lucky guess is explained, too.
function explained({ view, right, why }, { choice, sure }) {
  const isRight = choice === right;
  const textOf = (letter) => view.options.find(([name]) => name === letter)[1];
  const heading = make("p");
  heading.append(make("b", isRight ? "good" : "bad", isRight ? "✓" : "✗"), ` ${view.number}: `);
  filled(heading, textOf(right));
  if (!isRight) filled(heading, [[" You said: ", false], ...textOf(choice), [sure ? " You were sure." : "", false]]);
  const reason = make("p");
  reason.innerHTML = why; // from our own page
  const fold = make("details", "wmt-fold");
  fold.append(make("summary", "", "The code"), make("pre", "", view.code.map(([text]) => text).join("")));
  return { isRight, parts: [heading, reason, fold] };
}

function toFix(data, { seed }, modules) {
  const wrong = (kind, count) => modules.filter((module) => module.kind === kind).slice(0, count);
  const three = Object.entries(data.fixed).flatMap(([kind, count]) => wrong(kind, count));
  const how = make("p", "wmt-own", `Three are open, to fix in Python: ${three.map(({ view }) => view.number).join(", ")}. `);
  how.append(make("code", "", `grader exam --seed ${seed}`), " asks these ten there, and judges your fixes.");
  return how;
}

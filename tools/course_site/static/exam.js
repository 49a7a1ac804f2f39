// The exam: ten modules to judge, drawn from a seed as in grader/course/exam/drawing.py, and the
// result as a picture and as the line that a teacher can score again.
const LONGEST_SEED = 24;

function mountExam(place, data) {
  const begun = journal.read().exams.filter((each) => each.pool === data.pool).at(-1);
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
    const sitting = { seed: seed.value.trim() || newSeed(), pool: data.pool, answers: {} };
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
  const modules = (await drawn(sitting.seed, data)).map((module) => asked(module, data));
  const waiting = () => modules.filter((module) => !(module.number in sitting.answers));
  const view = () => {
    const [{ number, text, code, options }, ...rest] = waiting();
    const heading = `Module ${modules.length - rest.length} of ${modules.length}, exam ${sitting.seed}`;
    const { confidence } = data;
    return { number, text, code, beside: [], options, heading, confidence, chosen: "", message: "", button: "", answer: [] };
  };
  if (!waiting().length) return showResult(place, data, sitting, modules);
  const model = new Model(view(), ({ lock, sure }) => {
    const [module] = waiting();
    const outcome = module.outcomes[module.options.findIndex(([letter]) => letter === lock)];
    sitting.answers[module.number] = { outcome, sure: data.sure[sure] };
    journal.sit(sitting);
    if (waiting().length) model.set("view", view());
    else showResult(place, data, sitting, modules, true);
  });
  const shown = make("div");
  place.replaceChildren(shown);
  questionView.render({ model, el: shown });
  if (hasFocus) shown.querySelector("input")?.focus();
}

// A module with its question: the answers that name a line quote it.
function asked(module, { text, options }) {
  const lines = textOf(module).split("\n");
  const raising = module.outcomes.slice(options.length).map((outcome, index) => {
    const line = lines[Number(outcome.match(/\d+$/)[0]) - 1].slice(4).trim();
    const letter = String.fromCharCode("A".charCodeAt(0) + options.length + index);
    return [letter, [[`It ${outcome}: `, false], [line, true]]];
  });
  return { ...module, text, options: [...options, ...raising] };
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
  const keyed = modules.map(async (module) => [await digest(`${salt} ${module.number}`), module]);
  const sorted = (await Promise.all(keyed)).sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([, module]) => module);
}

async function digest(text) {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function showResult(place, data, sitting, modules, hasFocus = false) {
  const result = await resultOf(data, sitting, modules);
  const region = make("section", "wmt-result");
  region.setAttribute("aria-label", "Your result");
  region.tabIndex = -1;
  const svg = filledPicture(data.picture, result, modules);
  const picture = make("img", "picture"); // an image, since its style sheet is its own
  picture.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  picture.alt = `${result.found} of ${modules.length} modules judged right, none fixed yet`;
  region.append(picture, ...missedModules(sitting, modules), resultButtons(place, data, result, svg));
  place.replaceChildren(region);
  if (hasFocus) region.focus();
}

// The fields in the order of `ExamResult`, whose digest is of the same text.
async function resultOf(data, { seed, pool, answers }, modules) {
  const wrong = (kind, count) => modules.filter((module) => module.kind === kind).slice(0, count);
  const fixes = Object.entries(data.fixed).flatMap(([kind, count]) => wrong(kind, count));
  const found = modules.filter((module) => answers[module.number].outcome === module.truth).length;
  const result = {
    seed, pool, answers,
    fixes: Object.fromEntries(fixes.map((module) => [module.number, sourceOf(module)])),
    found, fixed: 0, of: modules.length + fixes.length, at: now(), digest: "",
  };
  return { ...result, digest: await digest(JSON.stringify(result)) };
}

// Without the numbers of the lines.
function sourceOf(module) {
  return textOf(module).split("\n").map((line) => line.slice(4)).join("\n") + "\n";
}

// The code without its colours.
function textOf({ code }) {
  return code.map(([text]) => text).join("");
}

function filledPicture(picture, result, modules) {
  const { seed, pool, found, fixes, at, answers } = result;
  const short = seed.length > LONGEST_SEED ? `${seed.slice(0, LONGEST_SEED - 1)}…` : seed;
  const values = { seed: short, pool, points: found, found, date: at.slice(0, 10), digest: result.digest };
  modules.forEach((module, row) => {
    const given = answers[module.number].outcome;
    const isRight = given === module.truth;
    Object.assign(values, {
      [`look${row}`]: isRight ? "good" : "bad", [`sign${row}`]: isRight ? "✓" : "✗",
      [`name${row}`]: module.number, [`given${row}`]: given, [`truth${row}`]: module.truth,
    });
  });
  Object.keys(fixes).forEach((name, row) => (values[`fix${row}`] = name));
  return picture.replace(/\{(\w+)\}/g, (slot, name) => (name in values ? escaped(String(values[name])) : slot));
}

function escaped(text) {
  const element = make("span", "", text);
  return element.innerHTML;
}

function missedModules({ answers }, modules) {
  const missed = modules.filter((module) => answers[module.number].outcome !== module.truth);
  return missed.map((module) => {
    const fold = make("details", "wmt-fold");
    const sure = answers[module.number].sure === "certain" ? "; you were sure" : "";
    const { outcome } = answers[module.number];
    const why = make("p");
    why.innerHTML = module.why; // from our own page
    fold.append(
      make("summary", "", `${module.number}: ${module.truth}, and you said: ${outcome}${sure}`),
      why,
      make("pre", "", textOf(module)),
    );
    return fold;
  });
}

function resultButtons(place, data, result, svg) {
  const row = make("div", "lock");
  row.append(
    download("Save the result", "result.json", `${JSON.stringify(result)}\n`),
    download("Save the picture", "result.svg", svg),
  );
  const another = make("button", "", "Another exam");
  another.type = "button";
  another.addEventListener("click", () => offerExam(place, data));
  const how = make("p", "wmt-own", "Fixing three of them needs Python: take your answers along, ");
  how.append(make("code", "", "grader progress --import wheres-my-tensor.json"), ", then ", make("code", "", "grader exam"), ".");
  row.append(another, how);
  return row;
}

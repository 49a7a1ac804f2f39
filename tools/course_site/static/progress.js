// How far a reader is on this site, and the button that forgets.
const SAID = [[true, "were sure of"], [false, "were not sure of"]];

function mountProgress(place) {
  const section = make("section", "wmt-progress");
  section.setAttribute("aria-label", "Your progress on this site");
  const draw = () => section.replaceChildren(...progressParts(journal.read()));
  document.addEventListener("wmt-journal", draw);
  draw();
  place.replaceChildren(section);
}

function progressParts(kept) {
  const made = kept.predictions.filter((each) => each.question in COURSE.pages);
  const looks = Object.values(kept.looks).filter(({ lines }) => lines[0] !== "0");
  const right = made.filter((each) => each.right).length;
  const all = Object.keys(COURSE.pages).length;
  const parts = [make("b", "", `Predictions: ${made.length} of ${all} made, ${right} right`)];
  for (const [sure, words] of SAID) {
    const level = made.filter((each) => each.sure === sure);
    const found = level.filter((each) => each.right).length;
    if (level.length) parts.push(make("p", "", `Of ${level.length} that you ${words}, ${found} right.`));
  }
  const found = looks.filter(({ lines, found: isFound }) => isFound && lines.length === 1).length;
  if (looks.length) parts.push(make("p", "", `Faulty lines: ${found} of ${looks.length} found at first look.`));
  const surprises = made.filter((each) => each.sure && !each.right);
  if (surprises.length) parts.push(listed("Sure and wrong, so worth another look:", surprises));
  const where = "This record is kept in this browser only.";
  parts.push(make("p", "quiet", made.length + looks.length ? where : `Nothing is recorded yet. ${where}`));
  if (made.length + looks.length + kept.exams.length) parts.push(forgetting());
  return parts;
}

function listed(heading, predictions) {
  const line = make("p", "", `${heading} `);
  for (const { question } of predictions) {
    const link = make("a", "", question);
    link.href = `${ROOT}notebooks/${COURSE.pages[question]}.html#prediction-${question}`;
    line.append(link, " ");
  }
  return line;
}

function forgetting() {
  const forget = make("button", "", "Forget it");
  forget.type = "button";
  forget.addEventListener("click", () => {
    if (forget.textContent === "Forget it") forget.textContent = "Yes, forget all of it";
    else journal.forget();
  });
  return forget;
}

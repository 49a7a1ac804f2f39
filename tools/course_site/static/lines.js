// Which line is to blame? The report stands below, folded; it unfolds with the right line, or with the
// second one.
const TRIES = 2; // as LOOKS in grader/learning/journal/model.py

function mountLines(place, { exercise, view, right, near, miss }) {
  if (!view) return;
  const whole = place.querySelector(".wmt-whole");
  let lines = journal.read().looks[exercise]?.lines ?? [];
  const isOver = () => lines.includes("0") || lines.length >= TRIES || right.includes(lines.at(-1));
  const shown = () => {
    const last = lines.at(-1);
    const look = (line) => (isOver() && right.includes(line) ? "good" : lines.includes(line) ? "bad" : "");
    const options = view.options.map(([line, text]) => [line, text, look(line)]);
    const message = (isOver() ? near : miss)[last] ?? [];
    return { ...view, options, message, chosen: isOver() ? last : "" };
  };
  const unfold = () => {
    whole.hidden = !isOver();
    whole.open = isOver();
  };
  const model = new Model(shown(), ({ lock = "0" }) => {
    lines = [...lines, lock];
    if (exercise) journal.look(exercise, lines, right.includes(lock));
    model.set("view", shown());
    unfold();
    if (lock !== "0") place.querySelector(".status").scrollIntoView({ block: "nearest" });
  });
  unfold();
  if (isOver()) place.querySelector(".wmt-check").open = true; // it was answered earlier
  questionView.render({ model, el: place.querySelector(".wmt-choices") });
}

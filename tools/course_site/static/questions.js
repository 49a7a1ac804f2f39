// A prediction is judged as soon as it is locked in, and what the next cells show then unfolds.
function mountQuestion(place, { view, right, reasons, lines, beside }, onAnswer = () => {}) {
  const number = view.number;
  const linesOf = (letter) => (beside ? beside[letter].map((number) => lines[number]) : []);
  const model = new Model({ ...view, beside: linesOf("") }, ({ lock, sure }) => {
    journal.predict({ question: number, choice: lock, sure, right: lock === right });
    show(lock, sure);
    unfoldOutput(place);
    onAnswer();
  });
  const reason = (letter) => {
    const text = view.options.find(([name]) => name === letter)[1];
    const [look, words] = letter === right ? ["good", `✓ ${letter} is right: `] : ["bad", `✗ Not ${letter}: `];
    return { look, heading: [[words, false], ...text], why: reasons[letter] };
  };
  const show = (chosen, sure) => {
    const look = (letter) => (letter === right ? "good" : letter === chosen ? "bad" : "");
    const options = view.options.map(([letter, text]) => [letter, text, look(letter)]);
    const answer = [...new Set([chosen, right])].map(reason);
    const message = [[`Locked in: ${chosen}, ${sure ? "sure" : "not sure"}.`, false]];
    model.set("view", { ...view, options, chosen, message, answer, beside: linesOf(chosen) });
  };
  const earlier = journal.prediction(number);
  if (earlier) show(earlier.choice, earlier.sure);
  place.id = `prediction-${number}`;
  questionView.render({ model, el: place });
  whyOf(number)?.setAttribute("hidden", ""); // the view explains its answers itself
}

// Where the answer is written for a reader without JavaScript.
function whyOf(number) {
  const summaries = [...document.querySelectorAll("details > summary")];
  return summaries.find((each) => each.textContent.endsWith(`prediction ${number}`))?.parentElement;
}

// The output that answers the question is folded, and stands before the next question.
function unfoldOutput(place) {
  const below = [...document.querySelectorAll("details.hide, .wmt-site")].filter(
    (each) => place.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_FOLLOWING,
  );
  if (below[0]?.matches("details.hide")) below[0].open = true;
}

// A prediction is judged as soon as it is locked in, and what the next cells show then unfolds.
function mountQuestion(place, { view, right, answers, sure }) {
  const number = view.number;
  const model = new Model(view, ({ lock, sure: word }) => {
    journal.predict({ question: number, choice: lock, sure: sure[word], right: lock === right });
    show(lock, word);
    unfoldOutput(place);
  });
  const show = (chosen, word) => {
    const message = `Locked in: ${chosen}, ${word}.`;
    model.set("view", { ...view, chosen, message, ...answers[chosen] });
  };
  const words = Object.fromEntries(Object.entries(sure).map(([word, kept]) => [kept, word]));
  const earlier = journal.prediction(number);
  if (earlier) show(earlier.choice, words[earlier.sure] ?? earlier.sure);
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

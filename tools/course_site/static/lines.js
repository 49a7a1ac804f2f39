// Which line is to blame? The report stands below, folded; it unfolds with an answer.
function mountLines(place, { exercise, asked, choices, right, near }) {
  if (!choices) return;
  const written = place.querySelector(".wmt-choices");
  const whole = place.querySelector(".wmt-whole");
  whole.hidden = true;
  const status = make("div", "status");
  status.setAttribute("role", "status");
  const form = linesForm(asked, choices, (line) => {
    if (exercise) journal.look(exercise, { line, found: right.includes(line) });
    unfold(line);
    if (line) status.scrollIntoView({ block: "nearest" });
  });
  const unfold = (line) => {
    whole.hidden = false;
    whole.open = true;
    form.close(line, right);
    if (line) status.innerHTML = `<p>${near[line]}</p>`; // from our own page
  };
  form.element.append(status);
  written.replaceChildren(form.element);
  const earlier = journal.read().looks[exercise];
  if (!earlier) return;
  place.querySelector(".wmt-check").open = true;
  unfold(earlier.line);
}

// The choices as a listing; `blame` gets the line chosen, and 0 for none.
function linesForm(asked, choices, blame) {
  const element = make("form", "wmt-lines");
  const list = make("fieldset", "lines");
  list.append(make("legend", "", asked));
  for (const [line, text] of choices) {
    const radio = make("input");
    Object.assign(radio, { type: "radio", name: "line", value: line });
    const label = make("label", "line");
    label.append(radio, make("span", "number", line), make("code", "", text));
    list.append(label);
  }
  const choose = make("button", "", "This line is to blame");
  const skip = make("button", "", "Show me the whole report");
  skip.type = "button";
  choose.disabled = true;
  const row = make("div", "lock");
  row.append(choose, skip);
  element.append(list, row);
  list.addEventListener("change", () => (choose.disabled = false));
  skip.addEventListener("click", () => blame(0));
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    blame(Number(element.elements.line.value));
  });
  const close = (chosen, right) => {
    row.remove();
    for (const radio of list.querySelectorAll("input")) {
      const line = Number(radio.value);
      radio.disabled = true;
      radio.checked = line === chosen;
      if (right.includes(line)) radio.parentElement.append(make("b", "good", " ✓ to blame"));
      else if (line === chosen) radio.parentElement.append(make("b", "bad", " ✗ your choice"));
    }
  };
  return { element, close };
}

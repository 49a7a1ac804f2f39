// The puzzles, one at a time: the first that is not answered, or the one in the address, `#7`.
function mountPuzzles(place, levels) {
  const isOpen = ({ view }) => !journal.prediction(view.number);
  const inAddress = () => levels[Number(location.hash.slice(1)) - 1];
  let level = inAddress() ?? levels.find(isOpen) ?? levels[0];
  const shown = make("div");
  const turns = make("nav", "wmt-turns");
  turns.setAttribute("aria-label", "Puzzles");
  const go = (to) => {
    history.replaceState(null, "", `#${levels.indexOf(to) + 1}`);
    show(to, true);
  };
  const show = (next, hasFocus = false) => {
    level = next;
    mountQuestion(shown, level, draw);
    draw();
    if (hasFocus) shown.querySelector(".wmt-question").focus();
  };
  const draw = () => {
    const at = levels.indexOf(level);
    const solved = levels.filter(({ view }) => journal.prediction(view.number)?.right).length;
    turns.replaceChildren(
      turn("Previous", levels[at - 1], go),
      make("span", "", `${at + 1} of ${levels.length}, ${solved} solved`),
      turn("Next", levels[at + 1], go),
    );
  };
  window.addEventListener("hashchange", () => inAddress() && show(inAddress()));
  place.replaceChildren(shown, ...(levels.length > 1 ? [turns] : []));
  show(level);
}

function turn(words, level, go) {
  const made = make("button", "", words);
  made.type = "button";
  made.disabled = !level;
  made.addEventListener("click", () => go(level));
  return made;
}

// The bug of the front page: the map asks, the move surprises, and then PyTorch's message asks again.
function mountBug(place, { map, lines }) {
  const call = place.querySelector(".wmt-bug-call");
  call.hidden = true;
  mountMap(place.querySelector(".wmt-bug-map"), map, () => (call.hidden = false));
  mountLines(call, lines);
}

// The list of lessons, each with how many of its questions were answered.
function mountLessons(place) {
  for (const lesson of place.querySelectorAll("[data-lesson]")) {
    const asked = Object.keys(COURSE.pages).filter((each) => COURSE.pages[each] === lesson.dataset.lesson);
    const made = asked.filter((number) => journal.prediction(number)).length;
    if (made) lesson.firstElementChild.append(make("span", "made", `${made} of ${asked.length} predicted`));
  }
}

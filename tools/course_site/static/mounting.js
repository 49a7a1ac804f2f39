// Mounts a view on each place that asks for one.
const VIEWS = {
  bug: mountBug, exam: mountExam, lessons: mountLessons, lines: mountLines, map: mountMap, progress: mountProgress,
  puzzles: mountPuzzles, question: mountQuestion,
};

for (const place of document.querySelectorAll(".wmt-site")) {
  const data = JSON.parse(place.querySelector("script").textContent);
  VIEWS[place.dataset.view](place, data);
}

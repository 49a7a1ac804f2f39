// Mounts a view on each place that asks for one.
const VIEWS = { question: mountQuestion, lines: mountLines, progress: mountProgress };

for (const place of document.querySelectorAll(".wmt-site")) {
  const data = JSON.parse(place.querySelector("script").textContent);
  VIEWS[place.dataset.view](place, data);
}

/* A row of marks.csv for each answer of which anything was said, as `grader mark --from` reads it. */
const names = ["learner", "exercise", "score", "because", "comment", "line"];
const forms = [...document.querySelectorAll("form")];
const button = document.querySelector("button");
const quoted = (text) => `"${text.replaceAll('"', '""')}"`;
const rows = () =>
  forms
    .filter((form) => form.score.value || form.comment.value)
    .map((form) => names.map((name) => quoted(form[name].value)).join(","));
document.addEventListener("input", () => {
  const unexplained = forms.some((form) => form.score.value && !form.because.value.trim());
  const invalid = forms.some((form) => !form.checkValidity());
  button.disabled = unexplained || invalid || !rows().length;
  button.textContent = unexplained
    ? "Say why, then download"
    : invalid
      ? "Points are halves, up to the exercise's"
      : `Download marks.csv (${rows().length})`;
});
button.addEventListener("click", () => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([[names.join(","), ...rows(), ""].join("\r\n")]));
  link.download = "marks.csv";
  link.click();
});

"""One quiz: an item is asked, an answer judged and kept; predictions, puzzles, the exam, reviews.

`judging` says whether an answer is right, `keeping` writes it down and knows what is due, `words`
says it as text. A terminal, a notebook and the site show an item and read an answer.
"""

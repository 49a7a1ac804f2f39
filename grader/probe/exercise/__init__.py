"""What is done with an answer to an exercise, as its recipe says."""

"""`grader watch`: an editor on one side, the verdict on the other."""

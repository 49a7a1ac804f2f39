"""The answers here are attacks: nothing but the test beside them may import them."""

collect_ignore_glob = ["*/*.py"]

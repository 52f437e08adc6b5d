#!/usr/bin/env python3
"""Finds tests that no CMakeLists.txt names, which nothing would ever run.

Usage: lint_tests.py [ROOT]
"""
import sys
from pathlib import Path


def check(root):
    """One line for each x_test.cpp under rooftile/ that neither its folder's CMakeLists.txt names nor one above."""
    found = []
    for test in sorted((root / "rooftile").rglob("*_test.cpp")):
        lists = [folder / "CMakeLists.txt" for folder in test.relative_to(root).parents]
        texts = [(root / file).read_text() for file in lists if (root / file).exists()]
        if test.name not in {Path(word.rstrip(")")).name for text in texts for word in text.split()}:
            found.append(f"{test.relative_to(root).as_posix()}: no CMakeLists.txt names it")
    return found


def main():
    found = check(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

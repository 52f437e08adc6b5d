#!/usr/bin/env python3
"""Checks that what the pages link to in this repository exists: files, folders and headings.

Usage: lint_links.py [ROOT]. Prints one line a broken link and exits 1 if there is any.
"""

import re
import sys
from pathlib import Path

LINK = re.compile(r"\[[^\]\[]*\]\(([^()\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub makes of a page's headings."""
    headings = HEADING.findall(FENCE.sub("", page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken(page: Path) -> list[str]:
    """The links of a page that lead nowhere."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    found = []
    for link in LINK.findall(text):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            found.append(link)
    return found


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1]
    pages = [*root.glob("*.md"), *(root / "docs").rglob("*.md")]
    lines = [f"{page.relative_to(root)}: {link} leads nowhere" for page in sorted(pages) for link in broken(page)]
    print("\n".join(lines), end="\n" if lines else "")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())

"""What docs/python.md and README.md show of Python is what it prints."""

import pytest

import pages


@pytest.mark.parametrize("page", pages.PAGES)
def test_a_page_shows_what_is_printed(page):
    pytest.importorskip("torchvision", reason="torchvision is needed for the examples (Debian: python3-torchvision)")
    said = []
    failed, _ = pages.run(page, said.append)
    assert not failed, "".join(said)


def test_what_a_line_of_dots_leaves_out_stays_out():
    assert pages.shown(["a 1", "...", "z 1"], ["a 2", "b", "c", "z 2"]) == ["a 2", "...", "z 2"]
    assert pages.shown(["a 1", "..."], ["a 2", "b"]) == ["a 2", "..."]
    assert pages.shown(["a 1"], ["a 2", "b"]) == ["a 2", "b"]

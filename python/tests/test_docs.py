"""What docs/python.md and README.md show of Python is what it prints: blocks of `>>>` are doctests."""

import doctest
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_a_page_shows_what_is_printed(page, tmp_path, monkeypatch):
    pytest.importorskip("torchvision", reason="torchvision is needed for the examples (Debian: python3-torchvision)")
    # A fence would count as printed; an empty line ends what is.
    text = "".join("\n" if line.startswith("```") else line
                   for line in (ROOT / page).read_text(encoding="utf-8").splitlines(keepends=True))
    for name in ("gpu.toml", "space.toml", "measured.csv", "train.py"):
        (tmp_path / name).write_text((ROOT / "examples" / name).read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    examples = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    assert examples.examples
    printed = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(examples, out=printed.append)
    assert not runner.summarize(verbose=False).failed, "".join(printed)

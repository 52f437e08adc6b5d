"""What the notebooks of examples/ show is what they print."""

import pathlib

import pytest

pytest.importorskip("nbconvert", reason="nbconvert is needed to run notebooks (Debian: jupyter-nbconvert)")
pytest.importorskip("ipykernel", reason="ipykernel is needed to run notebooks (Debian: python3-ipykernel)")
pytest.importorskip("torchvision", reason="torchvision is needed for the notebooks (Debian: python3-torchvision)")
pytest.importorskip("pandas", reason="pandas is needed for the notebooks (Debian: python3-pandas)")

import notebooks  # noqa: E402

NOTEBOOKS = sorted(notebooks.EXAMPLES.glob("*.ipynb"))


def test_there_are_three():
    assert [path.stem for path in NOTEBOOKS] == ["choose_a_gpu", "from_script_to_plan", "predict_and_explain"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_prints_what_it_shows(path):
    assert not notebooks.difference(path)


def test_a_changed_output_is_seen(tmp_path):
    path = tmp_path / "own.ipynb"
    notebook = notebooks.nbformat.v4.new_notebook(cells=[notebooks.nbformat.v4.new_code_cell(
        "1 + 1", outputs=[notebooks.nbformat.v4.new_output("stream", text="3")])])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    notebooks.nbformat.write(notebook, pathlib.Path(path))
    assert "-3\n+2" in notebooks.difference(path)

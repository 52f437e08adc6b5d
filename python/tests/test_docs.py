"""The examples of docs/python.md."""

import doctest
import pathlib

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: half of the examples need it")


def test_the_examples_give_what_is_written():
    page = pathlib.Path(__file__).parents[2] / "docs" / "python.md"
    failed, tried = doctest.testfile(str(page), module_relative=False,
                                     optionflags=doctest.ELLIPSIS)
    assert tried > 20
    assert failed == 0

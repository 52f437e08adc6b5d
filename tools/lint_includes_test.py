#!/usr/bin/env python3
"""Tests of lint_includes.py: it must find deliberate violations, and nothing else."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

LINT = Path(__file__).with_name("lint_includes.py")


class LintIncludes(unittest.TestCase):
    def lint(self, path, text):
        """Exit status and output of the lint on a tree of one file."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / path
            file.parent.mkdir(parents=True)
            file.write_text(text, encoding="utf-8")
            done = subprocess.run([sys.executable, LINT, folder], capture_output=True, text=True, check=False)
            return done.returncode, done.stdout

    def assert_clean(self, path, text):
        self.assertEqual(self.lint(path, text), (0, ""))

    def assert_violation(self, path, text, words):
        status, output = self.lint(path, text)
        self.assertEqual(status, 1)
        self.assertIn(words, output)

    def test_with_the_arrow(self):
        self.assert_clean("rooftile/plan/a.cpp", '#include "rooftile/gpu/gpu.hpp"\n#include "rooftile/plan/plan.hpp"\n')
        self.assert_clean("rooftile/cli/a.cpp", '#include "rooftile/base/units.hpp"\n#include <CLI/CLI.hpp>\n')

    def test_against_the_arrow(self):
        self.assert_violation("rooftile/base/a.hpp", '\n#include "rooftile/gpu/gpu.hpp"\n', "base/a.hpp:2: base may not")
        self.assert_violation("rooftile/gpu/a.cpp", '#include "rooftile/ops/conv.hpp"\n', "gpu may not include")
        self.assert_violation("rooftile/timing/a_test.cpp", "#include <rooftile/predict/predict.hpp>\n", "timing may not")

    def test_unknown_module(self):
        self.assert_violation("rooftile/extra/a.cpp", "", "'extra' is not in the table")
        self.assert_violation("tests/a.cpp", '#include "rooftile/extra/a.hpp"\n', "no such module")

    def test_heavy_headers(self):
        self.assert_clean("rooftile/ingest/onnx_ops.cpp", "#include <onnx/onnx_pb.h>\n")
        self.assert_violation("rooftile/ingest/model.cpp", "#include <onnx/onnx_pb.h>\n", "belongs only in")
        self.assert_violation("rooftile/report/table.hpp", "#include <nlohmann/json.hpp>\n", "belongs only in")
        self.assert_violation("bench/predict.cpp", "#include <CLI/CLI.hpp>\n", "belongs only in")


if __name__ == "__main__":
    unittest.main()

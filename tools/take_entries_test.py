#!/usr/bin/env python3
"""Tests of take_entries.py: it takes what is asked for, leaves the rest alone, and rejects what it cannot find."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).with_name("take_entries.py")


def entry(family, scope, value):
    return f'[[entry]]\nfamily = "{family}"\nscope = "{scope}"\n[entry.constants]\nprologue = {value}\n'


def harness(family, framework, gpu, value):
    return f'[[harness]]\nfamily = "{family}"\nframework = "{framework}"\ngpu = "{gpu}"\nfactor = {value}\n'


def text_of(*blocks):
    return "\n".join(["# head\n", *blocks])


BASE = (entry("conv", "any", 1), entry("tensor", "any", 2), entry("tensor", "Hopper", 3),
        harness("tensor", "cuDNN 9", "h100", 4))
NEW = (entry("conv", "any", 11), entry("conv", "Hopper", 12), entry("tensor", "any", 13), entry("tensor", "Hopper", 14),
       harness("tensor", "cuDNN 9", "h100", 15), harness("tensor", "cuDNN 9", "a100", 16))


class TakeEntries(unittest.TestCase):
    def take(self, *options, base=BASE, new=NEW):
        with tempfile.TemporaryDirectory() as folder:
            for name, blocks in (("base.toml", base), ("new.toml", new)):
                Path(folder, name).write_text(text_of(*blocks), encoding="utf-8")
            return subprocess.run([sys.executable, TOOL, "base.toml", "new.toml", *options], cwd=folder,
                                  capture_output=True, text=True, check=False)

    def assert_written(self, blocks, *options, **files):
        done = self.take(*options, **files)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, text_of(*blocks))

    def assert_rejected(self, words, *options, **files):
        done = self.take(*options, **files)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stdout, "")
        self.assertIn(words, done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_scope_and_family(self):
        self.assert_written((*BASE[:2], NEW[3], BASE[3]), "--scope", "Hopper", "--family", "tensor")

    def test_new_block_stands_behind_its_family(self):
        self.assert_written((BASE[0], NEW[1], BASE[1], NEW[3], NEW[4]), "--scope", "Hopper, h100")

    def test_whole_and_harness(self):
        self.assert_written((NEW[0], NEW[1], *BASE[1:]), "--whole", "conv")
        self.assert_written((*BASE[:3], NEW[4], NEW[5]), "--harness", "cuDNN 9")

    def test_foreign(self):
        old, new = (f'[[foreign]]\nfamily = "tensor"\nvendor = "amd"\ncommon = {value}\n' for value in (6, 18))
        self.assert_written((*BASE, new), "--foreign", base=(*BASE, old), new=(*NEW, new))

    def test_family_new_to_the_base_stands_last(self):
        self.assert_written((BASE[0], NEW[3]), "--whole", "tensor", base=BASE[:1], new=NEW[3:4])

    def test_unmatched_names(self):
        words = "new.toml: no --scope 'Hoper' (nearest: 'Hopper'), no --family 'tensors' (nearest: 'tensor')\n"
        self.assert_rejected(words, "--scope", "Hoper,h100", "--family", "tensors")
        self.assert_rejected("no --harness 'cuDNN 8' (nearest: 'cuDNN 9')", "--harness", "cuDNN 8")
        self.assert_rejected("no block is of both", "--scope", "a100", "--family", "conv")

    def test_nothing_to_take(self):
        self.assert_rejected("say what to take")
        self.assert_rejected("say what to take", "--family", "conv")

    def test_duplicate(self):
        words = ': two blocks of entry family = "conv" scope = "any"'
        self.assert_rejected("new.toml" + words, "--scope", "any", new=(*NEW, NEW[0]))
        self.assert_rejected("base.toml" + words, "--scope", "any", base=(*BASE, BASE[0]))

    def test_missing_file(self):
        done = subprocess.run([sys.executable, TOOL, "none.toml", "none.toml", "--scope", "any"], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("No such file or directory: 'none.toml'", done.stderr)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Completes command lines in bash, zsh and fish with the scripts that the program prints. Shells that are not installed
are skipped.

Usage: completion_test.py --cli ROOFTILE.
"""
import argparse
import os
import pty
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

CLI = None
PATIENCE = 120  # seconds; under the sanitizers on a busy machine each question takes a while
# What stands on the command line, and what the only completion makes of it.
LINES = {
    "rooftile fi": "rooftile fit",
    "rooftile fit n": "rooftile fit network",
    "rooftile predict --pa": "rooftile predict --pass",
    "rooftile predict alexnet --pass inf": "rooftile predict alexnet --pass inference",
    "rooftile predict googlen": "rooftile predict googlenet",
    "rooftile predict 'my model.onnx' --pass inf": "rooftile predict 'my model.onnx' --pass inference",
    "rooftile predict --gpu t4,titan-xp-": "rooftile predict --gpu t4,titan-xp-delta",
    "rooftile fit network --ways affine,t": "rooftile fit network --ways affine,trees",
    "rooftile fit network --ways alphabet,affine,an": "rooftile fit network --ways alphabet,affine,analytic",
    "rooftile fit network --ways analytic,affine,a": "rooftile fit network --ways analytic,affine,alphabet",
    "rooftile optimiz": "rooftile optimize",
    "rooftile optimize --pl": "rooftile optimize --plot",
    "rooftile predict own_": "rooftile predict own_model.onnx",  # a file, where no name of a network fits
    "rooftile compare alexnet --gpus t4,titan-xp-": "rooftile compare alexnet --gpus t4,titan-xp-delta",
    "rooftile compare --study u": "rooftile compare --study ubc",
    "rooftile compare alexnet --grid fr": "rooftile compare alexnet --grid france",
    "rooftile predict alexnet --host i7": "rooftile predict alexnet --host i7-8750h",
    "rooftile predict alexnet --execution com": "rooftile predict alexnet --execution compiled",
    "rooftile parallelise --cluster dgx-h": "rooftile parallelise --cluster dgx-h100",
    "rooftile serve gpt2 --cluster gb2": "rooftile serve gpt2 --cluster gb200-nvl72",
    "rooftile cost --costs own_": "rooftile cost --costs own_model.onnx",
    "rooftile predict --gpu=titan-xp-": "rooftile predict --gpu=titan-xp-delta",
    "rooftile predict --gpu=t4,titan-xp-": "rooftile predict --gpu=t4,titan-xp-delta",
    "rooftile predict alexnet --gpu=t4 --pass=inf": "rooftile predict alexnet --gpu=t4 --pass=inference",
    "rooftile predict --gpu=t4 googlen": "rooftile predict --gpu=t4 googlenet",
    "rooftile predict alexnet --set opt": "rooftile predict alexnet --set optimizer=",
    "rooftile predict alexnet --set seq-len=8,opt": "rooftile predict alexnet --set seq-len=8,optimizer=",
    "rooftile predict alexnet --set host=gr": "rooftile predict alexnet --set host=graphs",
    "rooftile predict alexnet --set cells=unrolled,recompute=f": "rooftile predict alexnet --set cells=unrolled,recompute=full",
    "rooftile simulate vgg16 --caches start=w": "rooftile simulate vgg16 --caches start=warm",
    "rooftile parallelise gpt2 --fix mic": "rooftile parallelise gpt2 --fix micro-batch=",
    "rooftile parallelise gpt2 --fix recompute=f": "rooftile parallelise gpt2 --fix recompute=full",
    "rooftile plan alexnet --price t4=0.3,bas": "rooftile plan alexnet --price t4=0.3,basis=",
    "rooftile plan alexnet --price titan-xp-": "rooftile plan alexnet --price titan-xp-delta=",
    "rooftile predict alexnet --host i7-8750h,feed=env": "rooftile predict alexnet --host i7-8750h,feed=environment",
    "rooftile serve gpt2 --server dra": "rooftile serve gpt2 --server drafted=",
    "rooftile compare alexnet --gpus vendor:a": "rooftile compare alexnet --gpus vendor:amd",
    "rooftile cost --costs=own_": "rooftile cost --costs=own_model.onnx",
}

# At Ctrl-G bash's line editor hands over what it made of what was typed, and begins anew.
BASH = r"""
. ./rooftile.bash
bind -x '"\C-g": printf "%s\n" "$READLINE_LINE" >> answers; READLINE_LINE= READLINE_POINT=0'
bind 'set enable-bracketed-paste off' 'set bell-style none'
"""

# The line editor completes each line, as if somebody had typed it and pressed the tabulator.
ZSH = r"""
{0}
zle-line-init() {{
  local line
  for line in ${{(f)"$(<lines)"}}; do
    BUFFER=$line CURSOR=$#line
    zle complete-word
    print -r -- $BUFFER
  done > answers
  BUFFER=exit
  zle accept-line
}}
zle -N zle-line-init
"""

FISH = r"""
source rooftile.fish
while read -l line
  printf '%s%s\n' (string replace -r '[^ ]*$' '' -- $line) (complete -C $line | string replace -r '\t.*' '' | string join '|')
end < lines > answers
"""


class Completion(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "rooftile").symlink_to(Path(CLI).resolve())
        (self.folder / "own_model.onnx").touch()
        (self.folder / "lines").write_text("".join(f"{line}\n" for line in LINES))
        self.environment = {"PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "HOME": str(self.folder),
                            "ZDOTDIR": str(self.folder), "TERM": "vt100", "LC_ALL": "C.UTF-8"}

    def script(self, shell):
        return subprocess.run([CLI, "completion", shell], capture_output=True, check=True, text=True).stdout

    def shell(self, name):
        if not shutil.which(name):
            self.skipTest(f"{name} is not installed")
        return name

    def check_answers(self):
        answers = (self.folder / "answers").read_text().splitlines()
        self.assertEqual([answer.rstrip() for answer in answers], list(LINES.values()))

    def complete_on_terminal(self, *command, typed=b""):
        ours, theirs = pty.openpty()
        program = subprocess.Popen([self.shell(command[0]), *command[1:]], cwd=self.folder, env=self.environment,
                                   stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
        os.close(theirs)
        os.write(ours, typed)
        end = threading.Timer(PATIENCE, program.kill)
        end.start()
        text = b""
        try:
            while some := os.read(ours, 65536):
                text += some
        except OSError:  # its other end is closed
            pass
        os.close(ours)
        status = program.wait()
        end.cancel()
        self.assertEqual(status, 0, text)
        for complaint in (b"not found", b"rooftile:"):
            self.assertNotIn(complaint, text)
        self.check_answers()

    def test_bash(self):
        (self.folder / "rooftile.bash").write_text(self.script("bash"))
        (self.folder / "bashrc").write_text(BASH)
        keys = "".join(f"{line}\t\a" for line in LINES) + "exit\n"
        self.complete_on_terminal("bash", "--rcfile", "bashrc", "-i", typed=keys.encode())

    def test_fish(self):
        fish = self.shell("fish")
        (self.folder / "rooftile.fish").write_text(self.script("fish"))
        result = subprocess.run([fish, "--no-config", "-c", FISH], cwd=self.folder, env=self.environment,
                                capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=PATIENCE)
        self.assertEqual(result.stderr, "")
        self.check_answers()

    def complete_in_zsh(self, setup):
        (self.folder / ".zshrc").write_text(ZSH.format(setup))
        self.complete_on_terminal("zsh", "-d", "-i")

    def test_zsh_where_it_is_sourced(self):
        (self.folder / "rooftile.zsh").write_text(self.script("zsh"))
        self.complete_in_zsh("source ./rooftile.zsh")

    def test_zsh_where_it_is_sourced_after_compinit(self):
        (self.folder / "rooftile.zsh").write_text(self.script("zsh"))
        self.complete_in_zsh("autoload -Uz compinit && compinit -u; source ./rooftile.zsh")

    # As a package installs it.
    def test_zsh_where_it_lies_among_its_functions(self):
        functions = self.folder / "functions"
        functions.mkdir()
        (functions / "_rooftile").write_text(self.script("zsh"))
        self.complete_in_zsh("fpath=(./functions $fpath); autoload -Uz compinit && compinit -u")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--cli", required=True)
    options, rest = parser.parse_known_args()
    CLI = options.cli
    unittest.main(argv=[sys.argv[0], *rest])

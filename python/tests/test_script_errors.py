"""Scripts that are not captured, and what is said of them."""

import subprocess
import sys

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: nothing is captured")

from scripts import INFER, capture  # noqa: E402


def test_a_failure_names_the_data_that_were_read(tmp_path):
    run = capture(tmp_path, "import torch\nx = torch.ones(2).cuda()\ncount = int(x.sum().item())\nprint(1 // count)\n")
    assert run.returncode == 1
    assert run.stderr.splitlines()[-1] == "train.py:3 read data, which are assumed to be 0 in a capture"


@pytest.mark.parametrize("line, message", [
    ("torch.cuda.CUDAGraph()", "CUDA graphs are not captured (train.py:2)"),
    ("torch.set_default_tensor_type('torch.cuda.FloatTensor')", "a default type of the GPU is not captured (train.py:2)"),
    *((f"import torch.distributed as dist; dist.{call}",
       f"torch.distributed.{call.split('(')[0]} is not captured (train.py:2); a capture is of one process")
      for call in ("send(torch.ones(2).cuda(), 1)", "irecv(torch.ones(2).cuda(), 1)", "batch_isend_irecv([])",
                   "P2POp(dist.isend, torch.ones(2).cuda(), 1)", "all_reduce_multigpu([torch.ones(2).cuda()])",
                   "new_subgroups(2)")),
    ("torch.eye(3).to_sparse().cuda()", "a sparse tensor (torch.sparse_coo) has no fixed size (train.py:2); make it dense"),
    ("torch.nn.utils.rnn.pack_padded_sequence(torch.ones(3, 2, 4).cuda(), torch.tensor([3, 2]))",
     "packed sequences have no fixed number of steps (train.py:2); pad them"),
    ("torch.jit.script(torch.nn.Linear(2, 2).cuda())(torch.ones(2, 2).cuda())",
     "TorchScript modules are not captured (train.py:2)"),
])
def test_what_is_not_captured_is_one_line(tmp_path, line, message):
    run = capture(tmp_path, f"import torch\n{line}\n")
    assert run.returncode == 1 and run.stderr.startswith(f"rooftile: {message}")


@pytest.mark.parametrize("text, line", [
    ("print('hello')", "ran no step on a GPU"),
    ("import torch\ntorch.nn.Linear(2, 2)(torch.ones(2, 2))", "ran no step on a GPU"),
    ("import torch\nmodel = torch.nn.Linear(2, 2)\noptimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
     "for _ in range(3):\n    model(torch.ones(2, 2)).mean().backward()\n    optimizer.step()", "ran no step on a GPU"),
    ("import sys\nsys.exit(3)", "ended with exit status 3 before a step was over"),
])
def test_what_runs_nothing_is_one_line(tmp_path, text, line):
    run = capture(tmp_path, text)
    assert run.returncode == 1
    assert line in run.stderr.splitlines()[-1] and run.stderr.splitlines()[-1].startswith("rooftile: ")


def test_what_the_script_raises_is_its_own_traceback(tmp_path):
    run = capture(tmp_path, "import torch\nx = torch.ones(2, 3).cuda()\n\ndef work():\n    return x @ x\n\nwork()\n")
    assert run.returncode == 1
    assert "train.py\", line 5, in work" in run.stderr
    assert "capturing" not in run.stderr and "RuntimeError" in run.stderr.splitlines()[-1]


def test_a_script_that_cannot_be_read(tmp_path):
    run = capture(tmp_path, "for i in range(3)\n    pass\n")
    assert run.returncode == 1
    assert run.stderr.splitlines()[0].endswith("train.py\", line 1") and "SyntaxError" in run.stderr.splitlines()[-1]


@pytest.mark.parametrize("line, is_right", [
    ("model(torch.ones(4, 2))", False), ("x + torch.ones(2)", False), ("torch.cat([x, torch.ones(4, 2)])", False),
    ("x + torch.tensor(2.0)", True), ("x + torch.ones(4, 2).type_as(x)", True),
    ("x.sum() + torch.ones(2048, 1024).type_as(x)", True), ("x.sum() + torch.ones_like(torch.ones(2048, 1024))", False), ("x[torch.tensor([0, 1])]", True), ("x.copy_(torch.ones(4, 2))", True)])
def test_a_kernel_reads_no_tensors_of_the_host(tmp_path, line, is_right):
    run = capture(tmp_path, f"import torch\nmodel, x = torch.nn.Linear(2, 2).cuda(), torch.ones(4, 2).cuda()\nmodel(x)\n{line}\n")
    assert (run.returncode == 0) == is_right
    assert is_right or "Expected all tensors to be on the same device" in run.stderr.splitlines()[-1]


def test_wrong_usage(tmp_path):
    missing = subprocess.run([sys.executable, "-m", "rooftile", "capture", "none.py"], capture_output=True, text=True,
                             check=False, timeout=300)
    assert (missing.returncode, missing.stderr) == (1, "rooftile: none.py: no such file\n")
    bare = subprocess.run([sys.executable, "-m", "rooftile"], capture_output=True, check=False, timeout=300)
    assert bare.returncode == 2
    run = capture(tmp_path, INFER, "-o", "/nowhere/step.json")
    assert run.returncode == 1 and run.stderr.endswith("rooftile: /nowhere/step.json: No such file or directory\n")

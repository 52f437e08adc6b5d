"""python -m rooftile capture, and scripts in the place of a model."""

import json
import subprocess
import sys

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: nothing is captured")

from scripts import INFER, TRAIN, capture, program  # noqa: E402

import rooftile  # noqa: E402


def test_a_training_script_is_captured_as_it_stands(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(TRAIN)
    run = subprocess.run([sys.executable, "-m", "rooftile", "capture", str(script), "--", "--batch", "8"],
                         capture_output=True, text=True, check=False, timeout=300)
    assert run.returncode == 0, run.stderr
    assert "training on" in run.stderr
    step = json.loads(run.stdout)
    assert (step["name"], step["batch_size"], step["precision"]) == ("train", 8, "amp-fp16")
    parts = [part for _, _, part in step["launches"]]
    assert {"forward", "backward", "update"} == set(parts)
    sources = [step["calls"][call]["source"] for call, _, _ in step["launches"]]
    assert sources.count("aten.convolution") == 2  # one step, not two: the convolution and its bias
    assert "aten._amp_foreach_non_finite_check_and_unscale_" in sources
    assert any("item()" in note and "train.py:" in note for note in step["notes"])


@pytest.mark.parametrize("mode", ["no_grad", "inference_mode"])
def test_a_script_that_only_infers(tmp_path, mode):
    run = capture(tmp_path, INFER.replace("no_grad", mode))
    assert run.returncode == 0, run.stderr
    step = json.loads(run.stdout)
    assert step["precision"] == "fp16" and {part for _, _, part in step["launches"]} == {"forward"}
    assert sum(step["calls"][call]["op"] == "gemm" for call, _, _ in step["launches"]) == 1


def test_the_program_takes_a_script_for_a_model(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(TRAIN)
    run = program("predict", str(script), "--gpu", "rtx-4090")
    assert run.returncode == 0, run.stderr
    assert "train on rtx-4090: batch size 16, amp-fp16, training" in run.stdout
    assert "forward" in run.stdout and "backward" in run.stdout


def test_python_captures_scripts_itself(tmp_path, monkeypatch):
    script = tmp_path / "train.py"
    script.write_text(TRAIN)
    monkeypatch.setenv("PATH", "/nowhere")
    predictions = rooftile.compare(script, ["t4", "l4"])
    assert {one.model for one in predictions} == {"train"} and predictions[0].batch_size == 16
    assert any("item()" in note for note in predictions[0].notes)
    script.write_text("raise ValueError('of its own')")
    for call, line in ((lambda: rooftile.predict(str(script)), "no step could be captured (exit status 1)"),
                       (lambda: rooftile.predict(tmp_path / "none.py"), "none.py: no such file"),
                       (lambda: rooftile.max_batch(script), "a script is captured at its own batch size")):
        with pytest.raises(rooftile.Error) as raised:
            call()
        assert line in str(raised.value)


def test_a_captured_step_is_planned_at_its_batch(tmp_path):
    step = tmp_path / "step.json"
    assert capture(tmp_path, TRAIN, "-o", str(step)).returncode == 0
    run = program("plan", str(step), "--samples", "1e6", "--epochs", "1", "--gpu", "t4", "--max-gpus", "2")
    assert run.returncode == 0, run.stderr
    assert "batch 16 each" in run.stdout
    run = program("plan", str(step), "--samples", "1e6", "--epochs", "1", "--gpu", "t4", "-b", "32")
    assert run.returncode == 2 and "captured at 16; capture it again at 32" in run.stderr


ENCODER = """
import copy
import torch
from torch import nn
layer = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True)  # which the encoder copies
network = nn.Sequential(nn.Embedding(100, 64), nn.TransformerEncoder(layer, 2), nn.Linear(64, 100)).cuda()
average = copy.deepcopy(network)
assert all(isinstance(one, nn.Parameter) and one.requires_grad for one in average.parameters())
optimizer = torch.optim.AdamW(network.parameters())
while True:
    tokens = torch.randint(0, 100, (8, 32)).cuda()
    loss = nn.functional.cross_entropy(network(tokens).flatten(0, 1), tokens.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for old, new in zip(average.parameters(), network.parameters()):
            old.mul_(0.99).add_(new, alpha=0.01)
"""


def test_modules_are_copied(tmp_path):
    run = capture(tmp_path, ENCODER)
    assert run.returncode == 0, run.stderr
    step = json.loads(run.stdout)
    sources = [step["calls"][call]["source"] for call, _, _ in step["launches"]]
    assert sources.count("aten.native_layer_norm") == 4 and sources.count("aten.bmm") == 3 * 4
    weights = 2 + 2 * 12 + 1
    assert sum(name.endswith("/mul_") for _, name, _ in step["launches"]) >= weights


LOOP = """
import math
import numpy
import torch
import torch.distributed
from torch import nn
torch.distributed.init_process_group("nccl")
model = nn.parallel.DistributedDataParallel(nn.Linear(64, 10).cuda(), device_ids=[0])
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
side = torch.cuda.Stream()
for step in range(3):
    x, y = torch.randn(32, 64).cuda(), torch.randint(0, 10, (32,)).cuda()
    with torch.cuda.stream(side):
        scores = model(x)
    torch.cuda.current_stream().wait_stream(side)
    loss = nn.functional.cross_entropy(scores, y)
    policy = torch.distributions.Categorical(logits=scores)
    loss = loss - policy.log_prob(policy.sample()).mean()
    spread = torch.distributions.Normal(scores, scores.exp()).rsample()
    loss = loss + (spread * torch.cuda.FloatTensor(32, 10).fill_(1.0)).mean()
    assert torch.isfinite(loss) and not torch.isnan(loss).any() and loss >= 0 and loss == loss
    if not torch.isfinite(scores).all():
        continue
    print(f"{loss:.4f} {loss:.2e}", loss.tolist(), 1 / loss.item(), math.log(loss.item()), int((scores.argmax(1) == y).sum()))
    array = scores.detach().cpu().numpy()
    assert array.dtype == numpy.float32 and array.shape == (32, 10) and numpy.asarray(x.cpu()).shape == (32, 64)
    assert torch.tensor([loss, 1.0]).shape == torch.tensor([x[0], x[1]])[:, 0].shape
    assert len(y.tolist()) == 32 and isinstance(y.tolist()[0], int)
    assert isinstance(x, torch.cuda.FloatTensor) and x.type() == "torch.cuda.FloatTensor" and x.cpu().type(torch.cuda.HalfTensor).dtype == torch.float16
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    torch.distributed.barrier()
"""


def test_what_loops_read_and_print(tmp_path):
    run = capture(tmp_path, LOOP)
    assert run.returncode == 0, run.stderr
    step = json.loads(run.stdout)
    assert {part for _, _, part in step["launches"]} == {"forward", "backward", "update"}
    assert any("torch.distributed is of one process" in note for note in step["notes"])


COLLECTIVES = """
import torch
import torch.distributed as dist
dist.init_process_group("nccl")
model = torch.nn.Linear(8, 8).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def like(x):
    return torch.empty_like(x)


while True:
    x = model(torch.randn(4, 8, device="cuda"))
    y = x.detach()
    dist.all_gather([like(y)], y)
    dist.all_gather_into_tensor(like(y), y)
    dist._all_gather_base(torch.empty(1, 4, 8, device="cuda"), y)
    dist.gather(y, [like(y)], dst=0)
    dist.gather(y, dst=1)
    dist.scatter(like(y), [y], src=0)
    dist.reduce_scatter(like(y), [y])
    dist.reduce_scatter_tensor(like(y), y)
    dist._reduce_scatter_base(like(y), y)
    dist.all_to_all([like(y)], [y])
    assert dist.all_to_all_single(like(y), y, async_op=True).wait()
    dist.all_reduce(y, op=dist.ReduceOp.SUM)
    dist.broadcast_object_list([1], src=0)
    found = [None]
    dist.gather_object("gathered", found)
    assert found == ["gathered"]
    dist.scatter_object_list(found, ["scattered"])
    assert found == ["scattered"]
    dist.all_gather_object(found, "all")
    assert found == ["all"]
    assert dist.get_process_group_ranks(None) == [0] and dist.get_global_rank(None, 0) == dist.get_group_rank(None, 0) == 0
    optimizer.zero_grad()
    x.mean().backward()
    optimizer.step()
"""


def test_collectives_of_one_process_are_copies(tmp_path):
    run = capture(tmp_path, COLLECTIVES)
    assert run.returncode == 0, run.stderr
    step = json.loads(run.stdout)
    sources = [step["calls"][call]["source"] for call, _, _ in step["launches"]]
    assert sources.count("aten.copy_") == 10


def test_gradients_are_finite_for_a_scaler(tmp_path):
    step = json.loads(capture(tmp_path, TRAIN).stdout)
    updates = [step["calls"][call]["source"] for call, _, part in step["launches"] if part == "update"]
    assert updates.count("aten.mul_") >= 6  # the momentum of each weight


def test_an_lstm_is_captured_without_a_warning(tmp_path):
    run = capture(tmp_path, "import torch\ntorch.nn.LSTM(4, 8).cuda()(torch.ones(5, 2, 4).cuda())\n")
    assert (run.returncode, run.stderr) == (0, "")

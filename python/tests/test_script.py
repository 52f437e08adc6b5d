"""python -m rooftile capture, and scripts in the place of a model."""

import json
import subprocess
import sys
from unittest import mock

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: nothing is captured")

import rooftile.program  # noqa: E402

TRAIN = """
import argparse
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--batch", type=int, default=16)
batch = parser.parse_args().batch
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.Flatten(), nn.Linear(14400, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
model = model.to(device)
scaler = torch.cuda.amp.GradScaler()
data = DataLoader(TensorDataset(torch.randn(100, 3, 32, 32), torch.randint(0, 10, (100,))), batch_size=batch,
                  num_workers=2, pin_memory=True)
criterion = nn.CrossEntropyLoss()
print("training on", torch.cuda.get_device_name())
while True:
    for x, y in data:
        x, y = x.to(device, non_blocking=True), y.cuda()
        with torch.cuda.amp.autocast():
            loss = criterion(model(x), y)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        print(loss.item())
"""
INFER = """
import torch
model = torch.nn.Linear(64, 64).cuda().half().eval()
with torch.no_grad():
    for _ in range(3):
        print(model(torch.randn(8, 64, device="cuda").half()).argmax(1).cpu().shape)
"""


def capture(tmp_path, text, *arguments):
    script = tmp_path / "train.py"
    script.write_text(text)
    return subprocess.run([sys.executable, "-m", "rooftile", "capture", str(script), *arguments], capture_output=True,
                          text=True, check=False)


def program(*arguments):
    return subprocess.run([sys.executable, "-c", "from rooftile.program import main; main()", *arguments],
                          capture_output=True, text=True, check=False)


def test_a_training_script_is_captured_as_it_stands(tmp_path):
    run = capture(tmp_path, TRAIN, "--", "--batch", "8")
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


CHECKPOINT = """
import torch
model = torch.nn.Linear(64, 10).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for location in (None, "cuda", torch.device("cuda", 0), {"cuda:0": "cuda:0"}):
    checkpoint = torch.load("checkpoint.pt", map_location=location)
    assert checkpoint["model"]["weight"].is_cuda
    model.load_state_dict(checkpoint["model"])
for location in ("cpu", lambda storage, location: storage):
    assert not torch.load("checkpoint.pt", map_location=location)["model"]["weight"].is_cuda
while True:
    optimizer.zero_grad()
    model(torch.randn(32, 64).cuda()).mean().backward()
    optimizer.step()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, "checkpoint.pt")
"""


def test_checkpoints_are_loaded_and_never_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with mock.patch.object(torch.serialization, "location_tag", lambda storage: "cuda:0"):  # as on a machine with a GPU
        torch.save({"model": torch.nn.Linear(64, 10).state_dict()}, "checkpoint.pt")
    before = (tmp_path / "checkpoint.pt").read_bytes()
    run = capture(tmp_path, CHECKPOINT)
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "checkpoint.pt").read_bytes() == before


OWN_CHECKPOINT = """
import io
import pathlib
import torch
model = torch.nn.Sequential(torch.nn.Linear(64, 10), torch.nn.BatchNorm1d(10)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
epochs = [0]
while True:
    optimizer.zero_grad()
    loss = model(torch.randn(32, 64).cuda()).mean()
    loss.backward()
    optimizer.step()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "loss": loss, "epochs": epochs,
                "random": torch.get_rng_state()}, "best.pt")
    epochs.append(1)
    best = torch.load(pathlib.Path("best.pt").absolute())
    assert best["epochs"] == epochs[:-1] and best["model"]["0.weight"].is_cuda and not best["random"].is_cuda
    best["epochs"].append(2)
    assert torch.load("best.pt")["epochs"] == epochs[:-1]
    model.load_state_dict(best["model"])
    optimizer.load_state_dict(best["optimizer"])
    for place in ("cpu", {"cuda:0": "cpu"}, lambda storage, location: storage):
        assert not torch.load("best.pt", map_location=place)["model"]["0.weight"].is_cuda
    torch.save(model, "whole.pt")
    assert isinstance(torch.load("whole.pt")[0].weight, torch.nn.Parameter)
    buffer = io.BytesIO()
    torch.save(model.state_dict(), buffer)
    buffer.seek(0)
    model.load_state_dict(torch.load(buffer))
"""


def test_a_script_loads_what_it_saved(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = capture(tmp_path, OWN_CHECKPOINT)
    assert run.returncode == 0, run.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["train.py"]


def test_what_is_saved_takes_no_memory_of_the_gpu(tmp_path):
    saving = TRAIN.replace("scaler.update()", "scaler.update(); torch.save(model.state_dict(), 'model.pt')")
    memory = [json.loads(capture(tmp_path, text).stdout)["memory_bytes"] for text in (TRAIN, saving)]
    assert memory[0] == memory[1]


EPISODES = """
import torch
policy = torch.nn.Linear(8, 4).cuda()
optimizer = torch.optim.Adam(policy.parameters())
while True:
    with torch.no_grad():
        seen = [torch.randn(16, 8, device="cuda") for _ in range(40)]
        for one in seen:
            policy(one).argmax(1).cpu()
    for part in torch.cat(seen).split(64):
        optimizer.zero_grad()
        policy(part).pow(2).mean().backward()
        optimizer.step()
"""
ACCUMULATE = """
import torch
model = torch.nn.Linear(64, 10).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
while True:
    for _ in range(4):
        (model(torch.randn(8, 64).cuda()).mean() / 4).backward()
    optimizer.step()
    optimizer.zero_grad()
"""


def test_a_script_that_acts_before_it_learns_trains(tmp_path):
    run = capture(tmp_path, EPISODES)
    assert run.returncode == 0, run.stderr
    step = json.loads(run.stdout)
    assert {part for _, _, part in step["launches"]} == {"forward", "backward", "update"} and step["batch_size"] == 64


def test_a_script_without_optimizer_is_said_to_be_taken_for_inference(tmp_path):
    step = json.loads(capture(tmp_path, INFER.replace("range(3)", "range(1000)")).stdout)
    assert step["notes"] == ["taken for inference: 20 calls without gradients, and no optimizer was made"]
    evaluating = INFER.replace("with torch", "torch.optim.SGD(model.parameters(), lr=0.1)\nwith torch").replace("(3)", "(30)")
    step = json.loads(capture(tmp_path, evaluating).stdout)
    assert {part for _, _, part in step["launches"]} == {"forward"} and step["batch_size"] == 8


STEPS = """
import torch
from torch import nn
net = nn.Linear(16, 4).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
while True:
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(net(torch.randn(8, 16).cuda()), torch.zeros(8, dtype=torch.int64).cuda())
    loss.backward()
    optimizer.step()
"""


def test_a_step_without_a_backward_pass_says_so(tmp_path):
    assert json.loads(capture(tmp_path, STEPS).stdout)["notes"] == []
    step = json.loads(capture(tmp_path, STEPS.replace("loss.backward()", "pass")).stdout)
    assert step["notes"] == ["an optimizer steps, but no backward pass runs before it"]


def test_classes_are_whole_numbers(tmp_path):
    run = capture(tmp_path, STEPS.replace("int64", "float32"))
    assert run.returncode == 1 and 'train.py", line 8' in run.stderr
    assert run.stderr.splitlines()[-1] == "RuntimeError: nll_loss takes classes as int64 or uint8, not float32"


TWO_OPTIMIZERS = """
import torch
from torch import nn
maker, judge = nn.Linear(8, 16).cuda(), nn.Linear(16, 1).cuda()
of_maker, of_judge = torch.optim.Adam(maker.parameters()), torch.optim.Adam(judge.parameters())
while True:
    real, noise = torch.rand(32, 16, device="cuda"), torch.randn(32, 8, device="cuda")
    made = maker(noise)
    of_judge.zero_grad(set_to_none=True)
    (judge(made.detach()) - judge(real)).mean().backward()
    of_judge.step()
    of_maker.zero_grad(set_to_none=True)
    judge(made).mean().backward()
    of_maker.step()
"""


def test_a_step_is_one_to_which_no_optimizer_is_new(tmp_path):
    step = json.loads(capture(tmp_path, TWO_OPTIMIZERS).stdout)
    parts = {part: [step["calls"][call]["source"] for call, _, p in step["launches"] if p == part]
             for part in ("forward", "update")}
    assert parts["update"].count("aten.addcdiv_") == 4 and "aten.zeros_like" not in parts["update"]
    assert {"aten.rand", "aten.randn"} <= {*parts["forward"]} and not {"aten.rand", "aten.randn"} & {*parts["update"]}
    assert step["batch_size"] == 32


AVERAGED = """
import copy
import torch
model = torch.nn.Linear(64, 64, bias=False).cuda()
average = copy.deepcopy(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
while True:
    model(torch.randn(8, 64, device="cuda")).mean().backward()
    optimizer.step()
    with torch.no_grad():
        for mean, weight in zip(average.parameters(), model.parameters()):
            mean.mul_(0.9).add_(weight, alpha=0.1)
"""


def test_copies_of_weights_are_weights(tmp_path):
    memory = json.loads(capture(tmp_path, AVERAGED).stdout)["memory_bytes"]
    assert memory["weights"] == 2 * 4 * 64 * 64 and memory["gradients"] == 4 * 64 * 64


CRITIC = """
import torch
from torch.nn.utils import spectral_norm
maker = torch.nn.Linear(8, 16).cuda()
judge = spectral_norm(torch.nn.Linear(16, 1)).cuda()
of_maker, of_judge = torch.optim.SGD(maker.parameters(), lr=0.1), torch.optim.SGD(judge.parameters(), lr=0.1)
while True:
    for _ in range(2):
        judge(maker(torch.randn(32, 8, device="cuda")).detach()).mean().backward()
        of_judge.step()
    judge(maker(torch.randn(32, 8, device="cuda"))).mean().backward()
    of_maker.step()
"""


@pytest.mark.parametrize("steps, updates", [("1", 2), ("2", 6)])  # of weight and bias
def test_a_step_without_the_updates_of_an_optimizer_says_so(tmp_path, steps, updates):
    step = json.loads(capture(tmp_path, CRITIC, "--steps", steps).stdout)
    sources = [step["calls"][call]["source"] for call, _, part in step["launches"] if part == "update"]
    assert sources.count("aten.add_") == updates
    assert any("updates of 1 of 2 optimizers" in note for note in step["notes"]) == (steps == "1")


NEW_OPTIMIZERS = """
import copy
import torch
network = torch.nn.Linear(8, 8).cuda()
optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
kept = []
while True:
    table = copy.deepcopy(network)
    inner = torch.optim.Adam(table.parameters())
    table(network(torch.randn(4, 8, device="cuda"))).mean().backward()
    STEPS
    print("iteration")
"""


@pytest.mark.parametrize("steps, kinds", [
    ("inner.step()", ["aten.addcdiv_"]), ("inner.step(); optimizer.step()", ["aten.add_", "aten.addcdiv_"]),
    ("optimizer.step(); inner.step()", ["aten.add_", "aten.addcdiv_"]),
    ("kept.append(inner); optimizer.step(); inner.step()", ["aten.add_", "aten.addcdiv_"])])
def test_a_new_optimizer_in_each_iteration_ends_the_step(tmp_path, steps, kinds):
    script = tmp_path / "train.py"
    script.write_text(NEW_OPTIMIZERS.replace("STEPS", steps))
    run = subprocess.run([sys.executable, "-m", "rooftile", "capture", str(script)], capture_output=True, text=True,
                         check=False, timeout=60)
    assert run.returncode == 0, run.stderr
    assert run.stderr.count("iteration") < 6
    step = json.loads(run.stdout)
    sources = [step["calls"][call]["source"] for call, _, part in step["launches"] if part == "update"]
    assert all(sources.count(kind) >= 2 for kind in kinds) and sources.count("aten.addcdiv_") == 2


def test_samples_are_those_of_all_that_is_accumulated_and_of_all_steps(tmp_path):
    assert json.loads(capture(tmp_path, ACCUMULATE).stdout)["batch_size"] == 32
    several = json.loads(capture(tmp_path, ACCUMULATE, "--steps", "3").stdout)
    assert several["batch_size"] == 3 * 32
    updates = [several["calls"][call]["source"] for call, _, part in several["launches"] if part == "update"]
    assert updates.count("aten.add_") == 3 * 2  # weight and bias


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


def test_an_lstm_is_captured_without_a_warning(tmp_path):
    run = capture(tmp_path, "import torch\ntorch.nn.LSTM(4, 8).cuda()(torch.ones(5, 2, 4).cuda())\n")
    assert (run.returncode, run.stderr) == (0, "")


def test_wrong_usage(tmp_path):
    missing = subprocess.run([sys.executable, "-m", "rooftile", "capture", "none.py"], capture_output=True, text=True,
                             check=False)
    assert (missing.returncode, missing.stderr) == (1, "rooftile: none.py: no such file\n")
    assert subprocess.run([sys.executable, "-m", "rooftile"], capture_output=True, check=False).returncode == 2
    run = capture(tmp_path, INFER, "-o", "/nowhere/step.json")
    assert run.returncode == 1 and run.stderr.endswith("rooftile: /nowhere/step.json: No such file or directory\n")

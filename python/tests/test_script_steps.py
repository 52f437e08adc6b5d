"""Which part of a script is its step."""

import json

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: nothing is captured")

from scripts import INFER, capture  # noqa: E402


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
    run = capture(tmp_path, NEW_OPTIMIZERS.replace("STEPS", steps))
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

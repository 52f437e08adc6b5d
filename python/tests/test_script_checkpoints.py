"""What scripts load and save while they are captured."""

import json
from unittest import mock

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: nothing is captured")

from scripts import TRAIN, capture  # noqa: E402


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

"""Scripts that several tests capture, and how."""

import atexit
import functools
import json
import os
import subprocess
import sys
import tempfile


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


# Imports PyTorch once: each capture is a copy of this process, and ends as a Python does, or after a time that none
# needs.
COPIES = """
import json, os, signal, sys
import rooftile.capturing.command
from rooftile.__main__ import main
for line in sys.stdin:
    request = json.loads(line)
    copy = os.fork()
    if copy == 0:
        signal.alarm(300)
        os.chdir(request["folder"])
        for number, path in enumerate((os.devnull, request["out"], request["errors"])):
            os.dup2(os.open(path, os.O_RDWR), number)
        sys.argv[1:] = request["arguments"]
        sys.exit(main())
    print(os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]), flush=True)
"""


@functools.lru_cache(maxsize=None)
def copies():
    process = subprocess.Popen([sys.executable, "-c", COPIES], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(process.communicate)  # closes what it reads, which ends it
    return process


def captured(*arguments):
    """What `python -m rooftile capture` does with these arguments."""
    with tempfile.NamedTemporaryFile("r") as out, tempfile.NamedTemporaryFile("r") as errors:
        request = {"folder": os.getcwd(), "out": out.name, "errors": errors.name, "arguments": ["capture", *arguments]}
        copies().stdin.write(json.dumps(request) + "\n")
        copies().stdin.flush()
        status = int(copies().stdout.readline())
        return subprocess.CompletedProcess(request["arguments"], status, out.read(), errors.read())


def capture(tmp_path, text, *arguments):
    script = tmp_path / "train.py"
    script.write_text(text)
    return captured(str(script), *arguments)


def program(*arguments):
    return subprocess.run([sys.executable, "-c", "from rooftile.program import main; main()", *arguments],
                          capture_output=True, text=True, check=False, timeout=300)

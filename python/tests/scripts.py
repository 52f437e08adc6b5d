"""Scripts that several tests capture, and how."""

import subprocess
import sys


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

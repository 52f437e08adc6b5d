"""Trains a ResNet-18 on images that it makes up, in mixed precision: a script as people write it, for a GPU."""
import argparse

import torch
import torchvision

parser = argparse.ArgumentParser()
parser.add_argument("--batch-size", type=int, default=128)
parser.add_argument("--epochs", type=int, default=90)
arguments = parser.parse_args()

images = [(torch.randn(3, 224, 224), index % 1000) for index in range(2048)]
loader = torch.utils.data.DataLoader(images, batch_size=arguments.batch_size, shuffle=True, drop_last=True)
network = torchvision.models.resnet18().cuda()
optimizer = torch.optim.SGD(network.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
scaler = torch.cuda.amp.GradScaler()
for epoch in range(arguments.epochs):
    for image, label in loader:
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", dtype=torch.float16):
            loss = torch.nn.functional.cross_entropy(network(image.cuda()), label.cuda())
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    print(f"epoch {epoch}: loss {loss.item():.3f}")

#!/usr/bin/env python3
"""Trains a net on, in PyTorch, that 19_train_save_resume has trained and saved.

    continue.py FOLDER

Reads net.safetensors and points.safetensors there, compares the logits that both make of the points, trains, and
writes torch-net.safetensors and torch-points.safetensors, from which `19_train_save_resume --continued` goes on. Ends
with 1 where the logits differ or the loss does not fall.
"""

import json
import struct
import sys

import torch
from torch import nn

try:
    from safetensors.torch import load_file, save_file
except ImportError:  # what the format is: the length of a header, the header, which is JSON, and the elements
    TYPES = {"F32": torch.float32, "I32": torch.int32}

    def load_file(path):
        with open(path, "rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            header, data = json.loads(file.read(length)), file.read()
        header.pop("__metadata__", None)
        return {name: torch.frombuffer(bytearray(data[slice(*part["data_offsets"])]), dtype=TYPES[part["dtype"]])
                .reshape(part["shape"]) for name, part in header.items()}

    def save_file(tensors, path):
        header, data = {}, b""
        for name, tensor in tensors.items():
            elements = tensor.numpy().astype("<f4").tobytes()
            header[name] = {"dtype": "F32", "shape": list(tensor.shape),
                            "data_offsets": [len(data), len(data) + len(elements)]}
            data += elements
        text = json.dumps(header).encode()
        with open(path, "wb") as file:
            file.write(struct.pack("<Q", len(text)) + text + data)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.last = nn.Linear(2, 32), nn.Linear(32, 32), nn.Linear(32, 2)

    def forward(self, x):
        return self.last(torch.tanh(self.second(torch.tanh(self.first(x)))))


def train(net, x, labels, steps):
    """Returns the loss before the first step, and before the last one."""
    adam = torch.optim.Adam(net.parameters(), lr=0.02)
    losses = []
    for _ in range(steps):
        loss = nn.functional.cross_entropy(net(x), labels)
        adam.zero_grad()
        loss.backward()
        adam.step()
        losses.append(loss.item())
    return losses[0], losses[-1]


def main(folder):
    points = load_file(f"{folder}/points.safetensors")
    net = Net()
    net.load_state_dict(load_file(f"{folder}/net.safetensors"), strict=True)
    with torch.no_grad():
        agrees = torch.allclose(net(points["x"]), points["logits"], rtol=1e-4, atol=1e-4)
    before, after = train(net, points["x"], points["labels"].long(), 60)
    print(f"the same logits as Eglantine's: {'yes' if agrees else 'NO'}\nloss {before:.4g} as loaded, {after:.4g} now")
    with torch.no_grad():
        save_file({"logits": net(points["x"])}, f"{folder}/torch-points.safetensors")
    save_file(net.state_dict(), f"{folder}/torch-net.safetensors")
    return 0 if agrees and after < before else 1


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(print(__doc__) or 2)
    sys.exit(main(sys.argv[1]))

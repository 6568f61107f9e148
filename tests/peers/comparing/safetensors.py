"""Files of tensors, by the format's rules."""

import json
import struct

import numpy as np
import torch

TYPES = {"F32": "<f4", "I64": "<i8"}


def write(path, tensors, about=None):
    """Floats as f32, integers as i64; `about` are texts by name."""
    header, data = {"__metadata__": about or {}}, b""
    for name, tensor in tensors.items():
        kind = "F32" if tensor.is_floating_point() else "I64"
        elements = tensor.detach().numpy().astype(TYPES[kind]).tobytes()
        header[name] = {"dtype": kind, "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + len(elements)]}
        data += elements
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def read(path):
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        parts, data = json.loads(file.read(length)), file.read()
    parts.pop("__metadata__", None)
    types = {**TYPES, "I32": "<i4"}
    return {name: np.frombuffer(data[slice(*part["data_offsets"])], types[part["dtype"]]).reshape(part["shape"])
            for name, part in parts.items()}


def normal(*shape):
    """Numbers that f32 holds."""
    return torch.randn(shape, dtype=torch.float32).double()

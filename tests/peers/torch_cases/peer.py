"""PyTorch, as compare needs it."""

import torch

# These fill the table.
from . import (activations, attention, binary, convolution, gradients, indices, interpolation, losses,  # noqa: F401
               movement, normalisation, order, pooling, programs, reductions, scans)
from .planted import PLANTED  # noqa: F401
from .table import VERBS  # noqa: F401

torch.set_num_threads(1)

VERSION = f"PyTorch {torch.__version__}"
REFUSALS = (RuntimeError, ValueError, IndexError)

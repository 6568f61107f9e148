"""NumPy, as compare needs it."""

import numpy as np

# These fill the table.
from . import (axis_indices, binary, borders, creation, indexing, joining, movement, order, products,  # noqa: F401
               reductions, scans, statistics, unary)
from .planted import PLANTED  # noqa: F401
from .table import VERBS  # noqa: F401

VERSION = f"NumPy {np.__version__}"
REFUSALS = (ValueError, IndexError, ZeroDivisionError, DeprecationWarning)

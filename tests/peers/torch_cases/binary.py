"""Element-wise verbs of several real operands, where NumPy has none or its own is a formula."""

import torch

from comparing.rules import EPS, F32, common, element, is_number
from numpy_cases.binary import lerp_operands, two_real

from .table import verb
from .tensors import near, real


def of_two(function):
    """A number beside an array counts as f32."""

    def reference(*operands):
        common(*operands)  # raises where they meet in no dtype
        return real(function)(*(element(x, F32) if is_number(x) else x for x in operands))

    return reference


for name in ("atan2", "hypot", "xlogy"):
    verb(name, two_real, of_two(getattr(torch, name)), ulp=8)
for name in ("logaddexp", "logaddexp2"):  # the contract: or 1e-6, near zeros
    verb(name, two_real, of_two(getattr(torch, name)), ulp=8, absolute=1e-6)
verb("copysign", two_real, of_two(torch.copysign))


def lerp_error(y, a, b, weight):
    """8 ULP between numbers of one sign with a weight in [0, 1], else 4 eps of the largest term."""
    terms = torch.stack(torch.broadcast_tensors(a.abs(), b.abs(), (weight * a).abs(), (weight * b).abs()))
    between = (a * b >= 0) & (weight >= 0) & (weight <= 1)
    return torch.where(between, 8 * EPS * y.abs(), 4 * EPS * terms.amax(0))


verb("lerp", lerp_operands, near(torch.lerp, lerp_error))

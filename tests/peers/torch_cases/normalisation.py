"""Normalisation."""

import torch
from torch.nn import functional

from comparing.rules import F32, Refused

from .table import verb
from .tensors import real


def values(drawn, shape, most=1e30):
    """Where the mean may be large beside the deviation."""
    x = drawn.real(shape, -most, most, special=0)
    return x + F32.type(drawn.choice([0, 100])) if x.dtype == F32 and drawn.flag() else x


def parameter(drawn, shape):
    """A weight or a bias, or none; now and then of another shape."""
    if drawn.flag():
        return None
    return drawn.array(F32, list(shape) if drawn.chance(0.97) else list(shape) + [2], 0, 0.5)


def epsilon(drawn):
    return float(F32.type(drawn.one_of([1e-5, 1.0, 1e-3], [-1.0])))


def require(eps, parameters, shape):
    if eps < 0 or any(one is not None and one.shape != torch.Size(shape) for one in parameters):
        raise Refused("a negative eps, or a parameter of another shape")


# ---- over axes, which PyTorch wants as the last ones


def over_axes(parameters):
    def arguments(drawn):
        x = values(drawn, drawn.shape(0, 4), 1e15)
        axes = drawn.axes(x.ndim)
        named = sorted({axis % x.ndim for axis in axes if -x.ndim <= axis < x.ndim} if axes else range(x.ndim))
        return [x, axes, *(parameter(drawn, [x.shape[axis] for axis in named]) for _ in range(parameters)),
                epsilon(drawn)]

    return arguments


def of_last(function):
    def reference(x, axes, *more):
        *parameters, eps = more
        axes = [range(x.dim())[axis] for axis in axes] if axes else list(range(x.dim()))
        if len(set(axes)) != len(axes):
            raise Refused("an axis twice")
        axes = sorted(axes)
        last = list(range(x.dim() - len(axes), x.dim()))
        moved = x.movedim(axes, last)
        named = list(moved.shape[len(moved.shape) - len(axes):])
        require(eps, parameters, named)
        if not named:  # of a number PyTorch has none
            return function(x.reshape(1), [1], *(one if one is None else one.reshape(1) for one in parameters),
                            eps).reshape(())
        if x.numel() == 0:
            return x
        return function(moved, named, *parameters, eps).movedim(last, axes)

    return real(reference)


def rms_norm(x, shape, weight, eps):
    """Later versions of PyTorch have it, with this formula."""
    axes = list(range(-len(shape), 0))
    y = x * torch.rsqrt(x.square().mean(axes, keepdim=True) + eps)
    return y if weight is None else y * weight


# The contract of all: 1e-5, relative or absolute.
verb("layer_norm", over_axes(2), of_last(functional.layer_norm), relative=1e-5, absolute=1e-5)
verb("rms_norm", over_axes(1), of_last(rms_norm), relative=1e-5, absolute=1e-5)


# ---- by channels


def channels(drawn):
    shape = [drawn.length(), drawn.choice([1, 2, 4, 6, 12])] + drawn.shape(0, 2)
    return shape[:1] if drawn.chance(0.03) else shape


def grouped(drawn):
    shape = channels(drawn)
    count = shape[1] if len(shape) > 1 else 1
    groups = drawn.one_of([n for n in (1, 2, 3, count) if count % n == 0], [5, 0, -1])
    return [values(drawn, shape, 1e15), groups, parameter(drawn, [count]), parameter(drawn, [count]), epsilon(drawn)]


def group_norm(x, groups, weight, bias, eps):
    if x.dim() < 2 or groups < 1 or x.shape[1] % groups:
        raise Refused("no such groups")
    require(eps, [weight, bias], [x.shape[1]])
    return torch.group_norm(x, groups, weight, bias, eps) if x.numel() else x


verb("group_norm", grouped, real(group_norm), relative=1e-5, absolute=1e-5)


def by_instance(drawn):
    """One group for each channel."""
    x, _, weight, bias, eps = grouped(drawn)
    return [x, x.shape[1] if x.ndim > 1 else 1, weight, bias, eps]


def instance_norm(x, groups, weight, bias, eps):
    if x.dim() < 3 or x[0, 0].numel() < 2 if x.numel() else True:  # which PyTorch's refuses
        return group_norm(x, groups, weight, bias, eps)
    require(eps, [weight, bias], [groups])
    return functional.instance_norm(x, weight=weight, bias=bias, eps=eps)


verb("group_norm", by_instance, real(instance_norm), relative=1e-5, absolute=1e-5, line="group_norm of each channel")


def batch_arguments(drawn):
    shape = channels(drawn)
    count = shape[1] if len(shape) > 1 else 1
    mean = parameter(drawn, [count])
    var = abs(drawn.array(F32, [count], 0)) + F32.type(0.01)
    return [values(drawn, shape), drawn.array(F32, [count], 0) if mean is None else mean, var,
            parameter(drawn, [count]), parameter(drawn, [count]), epsilon(drawn)]


def batch_norm(x, mean, var, weight, bias, eps):
    if x.dim() < 2:
        raise Refused("no channels")
    require(eps, [mean, var, weight, bias], [x.shape[1]])
    return functional.batch_norm(x, mean, var, weight, bias, False, 0, eps) if x.numel() else x


verb("batch_norm", batch_arguments, real(batch_norm), relative=1e-5, absolute=1e-5)


def response_arguments(drawn):
    return [values(drawn, channels(drawn), 1e15), drawn.one_of([1, 2, 3, 5, 20], [0]), drawn.choice([0.5, 0.0, 2.0]),
            drawn.choice([0.75, 1.0, 0.5]), drawn.choice([1.0, 2.0])]


def local_response_norm(x, size, alpha, beta, k):
    """PyTorch's wants an axis behind the channels."""
    if x.dim() < 2 or size < 1:
        raise Refused("no channels, or none of them")
    y = functional.local_response_norm(x if x.dim() > 2 else x[..., None], size, alpha, beta, k) if x.numel() else x
    return y.reshape(x.shape)


verb("local_response_norm", response_arguments, real(local_response_norm), relative=1e-5, absolute=1e-5)

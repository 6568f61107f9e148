"""Products of vectors and matrices."""

import numpy as np

from comparing.rules import BOOL, EPS, F32, NUMERIC, Near, Refused, arithmetic, meet, narrow, wide

from .table import verb


def product(function, summed):
    """Integers wrap. f32 is within K eps, at least 4, of the sum of the absolute products: K = summed(a, b) of them."""

    def reference(a, b, *more):
        a, b = meet(a, b)
        if a.dtype == BOOL:
            raise Refused("products of booleans")
        value = function(wide(a), wide(b), *more)
        if a.dtype != F32:
            return narrow(value, a.dtype)
        return Near(value, max(summed(a, b, *more), 4) * EPS * function(np.abs(wide(a)), np.abs(wide(b)), *more))

    return reference


def matrices(drawn):
    inner, batch = drawn.length(), drawn.broadcasting(2, 0.02, 2)
    shapes = [batch[0] + [drawn.length(), inner], batch[1] + [inner, drawn.length()]]
    if drawn.chance(0.2):
        shapes[0] = [inner]
    if drawn.chance(0.2):
        shapes[1] = [inner]
    if drawn.chance(0.03):
        shapes[drawn.randrange(2)] = drawn.choice([[], [4]])
    dtype = drawn.dtype(NUMERIC)
    return [drawn.array(dtype if drawn.chance(0.9) else drawn.dtype(NUMERIC), shape, 0) for shape in shapes]


def vectors(drawn):
    dtype, length = drawn.dtype(NUMERIC), drawn.length()
    return [drawn.array(dtype, [length], 0), drawn.array(dtype, [length if drawn.chance(0.95) else 4], 0)]


def last_axis(a, *_):
    return a.shape[-1] if a.ndim else 1


verb("matmul", matrices, product(np.matmul, last_axis))
verb("dot", vectors, product(np.dot, last_axis))
verb("outer", lambda drawn: [drawn.any(0, 2, special=0) for _ in range(2)],
     arithmetic(np.outer, lambda a, b: np.logical_and.outer(a.ravel(), b.ravel())))


def inner_arguments(drawn):
    dtype, length = drawn.dtype(NUMERIC), [drawn.length()]
    return [drawn.array(dtype, drawn.shape(0, 2) + length, 0), drawn.array(dtype, drawn.shape(0, 1) + length, 0)]


verb("inner", inner_arguments, product(np.inner, last_axis))
verb("kron", lambda drawn: [drawn.any(0, 3, (0, 1, 2, 3), special=0) for _ in range(2)],
     arithmetic(np.kron, lambda a, b: np.kron(a, b).astype(bool)))


def vectors_of_3(drawn):
    """With an axis of 3 where both have one, behind what broadcasts in front; NumPy's axis is of each operand."""
    behind = drawn.randint(0, 1)
    shapes = [shape[:len(shape) - behind] + [3] + shape[len(shape) - behind:] if len(shape) >= behind else shape + [3]
              for shape in drawn.broadcasting(2, 0.03, 3)]
    if drawn.chance(0.03):
        shapes[0][-1] = 2
    dtype = drawn.dtype(NUMERIC)
    return [drawn.array(dtype, shape, 0) for shape in shapes] + [-1 - behind if drawn.chance(0.97) else 9]


def cross(a, b, axis):
    a, b = meet(a, b)
    if a.dtype == BOOL:
        raise Refused("products of booleans")
    np.broadcast_shapes(a.shape, b.shape)
    if min(a.ndim, b.ndim) < -axis or a.shape[axis] != 3 or b.shape[axis] != 3:
        raise Refused("no vectors of 3")
    value = np.cross(wide(a), wide(b), axisa=axis, axisb=axis, axisc=axis)
    if a.dtype != F32:
        return narrow(value, a.dtype)
    x, y = (np.abs(wide(v)) for v in (a, b))
    return Near(value, 2 * EPS * (np.max(x, initial=0) * np.max(y, initial=0)))


verb("cross", vectors_of_3, cross)


def some_axes(drawn):
    """As many axes of the one as of the other, of the same lengths; now and then not."""
    summed = [drawn.length() for _ in range(drawn.randint(0, 2))]
    dtype, operands, axes = drawn.dtype(NUMERIC), [], []
    for _ in range(2):
        shape = drawn.shape(0, 2) + summed
        order = drawn.sample(range(len(shape)), len(shape))
        places = [order.index(len(shape) - len(summed) + i) for i in range(len(summed))]
        operands.append(drawn.array(dtype, [shape[i] for i in order], 0))
        axes.append([place - len(shape) if drawn.flag() else place for place in places])
    if drawn.chance(0.05):
        axes[drawn.randrange(2)].append(drawn.choice([0, 3, -9]))
    return operands + axes


def tensordot(a, b, of_a, of_b):
    if len(of_a) != len(of_b) or len({axis % max(a.ndim, 1) for axis in of_a}) != len(of_a) or len(
            {axis % max(b.ndim, 1) for axis in of_b}) != len(of_b):
        raise Refused("axes that are no pairs")
    return np.tensordot(a, b, (of_a, of_b))


verb("tensordot", some_axes,
     product(tensordot, lambda a, b, of_a, of_b: int(np.prod([a.shape[axis] for axis in of_a], dtype=np.int64))))


def subscripts(drawn):
    """Labels from few letters, so that they repeat; ellipses; axes of length 1; a few texts that are none."""
    lengths = {label: drawn.choice([0, 1, 2, 3, 4, 5] if drawn.chance(0.2) else [2, 3, 4, 5]) for label in "abcd"}
    under = [drawn.choice([1, 2, 3]) for _ in range(2)]
    texts, shapes, ellipsis = [], [], False
    for _ in range(drawn.randint(1, 3)):
        letters = [drawn.choice("abcd") for _ in range(drawn.randint(0, 3))]
        shape = [1 if drawn.chance(0.1) and letters.count(label) == 1 else lengths[label] for label in letters]
        if drawn.chance(0.3):
            ellipsis, place = True, drawn.randint(0, len(letters))
            shape[place:place] = under[drawn.randint(0, 2):]
            letters.insert(place, "...")
        texts.append("".join(letters))
        shapes.append(shape)
    text = ",".join(texts)
    if drawn.chance(0.6):
        output = [label for label in drawn.sample("abcd", 4) if label in text and drawn.flag()]
        if ellipsis or drawn.chance(0.1):
            output.insert(drawn.randint(0, len(output)), "...")
        text += "->" + "".join(output)
    if drawn.chance(0.1):
        place = drawn.randint(0, len(text))
        text = text[:place] + drawn.choice(" ,a.-1>") + text[place:]
    dtype = drawn.dtype(NUMERIC)
    return [text, [drawn.array(dtype, shape, 0) for shape in shapes]]


def einsum(text, operands):
    operands = meet(*operands)
    dtype = operands[0].dtype
    if dtype == BOOL:
        raise Refused("products of booleans")
    value = np.einsum(text, *map(wide, operands))
    if dtype != F32:
        return narrow(value, dtype)
    terms = np.einsum(text, *[np.ones(x.shape) for x in operands]).max(initial=0) + len(operands)
    return Near(value, terms * EPS * np.einsum(text, *[np.abs(wide(x)) for x in operands]))


verb("einsum", subscripts, einsum)


def weighted(drawn):
    shapes = drawn.broadcasting(2)
    dtype = drawn.dtype(NUMERIC)
    rank = max(map(len, shapes))
    return [drawn.array(dtype, s, 0) for s in shapes] + [drawn.axes(rank), drawn.flag()]


def of_axes(a, b, axes, _):
    shape = np.broadcast_shapes(a.shape, b.shape)
    return int(np.prod([shape[axis] for axis in axes] if axes else shape, dtype=np.int64))


verb("multiply_sum", weighted,
     product(lambda a, b, axes, keepdims: np.sum(a * b, tuple(axes) or None, keepdims=keepdims), of_axes))

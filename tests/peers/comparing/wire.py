"""What goes between this program and eglantine_verbs (driver/value.hpp)."""

import struct
import subprocess

import numpy as np

NAMES = {np.dtype(np.float32): "f32", np.dtype(np.int32): "i32", np.dtype(np.uint32): "u32", np.dtype(bool): "boolean"}
DTYPES = {name: dtype for dtype, name in NAMES.items()}


class Held:
    """An array in one of the layouts of tests/support/views.hpp."""

    def __init__(self, array, view):
        self.array, self.view = array, view


class Index(list):
    """A list of indices: None in it is newaxis."""


class Steps(list):
    """Those of a program: lists of a verb's name, its arguments and its result's number."""


def like(value, items):
    """A list of the kind that another one is."""
    return type(value)(items) if isinstance(value, list) else list(items)


def _count(n):
    return struct.pack("<q", n)


def _text(text):
    data = text.encode()
    return _count(len(data)) + data


def _whole(n):
    if not -(2**63) <= n < 2**63:
        raise OverflowError(f"{n} is no int64")
    return b"i" + _count(n)


def _tensor(array, view):
    array = np.asarray(array)
    shape = b"".join(_count(n) for n in array.shape)
    return (b"T" + _text(NAMES[array.dtype]) + _text(view) + _count(array.ndim) + shape
            + np.ascontiguousarray(array).tobytes())


def encode(value):
    if value is None:
        return b"N"
    if isinstance(value, Held):
        return _tensor(value.array, value.view)
    if isinstance(value, np.ndarray):
        return _tensor(value, "contiguous")
    if isinstance(value, bool):
        return b"b" + bytes([value])
    if isinstance(value, int):
        return _whole(value)
    if isinstance(value, float):
        return b"f" + struct.pack("<d", value)
    if isinstance(value, str):
        return b"s" + _text(value)
    if isinstance(value, slice):
        return b"S" + encode(value.start) + encode(value.stop) + encode(1 if value.step is None else value.step)
    if value is Ellipsis:
        return b"E"
    if isinstance(value, np.dtype):
        return b"s" + _text(NAMES[value])
    if isinstance(value, Index):
        return b"L" + _count(len(value)) + b"".join(b"A" if one is None else encode(one) for one in value)
    if isinstance(value, (list, tuple)):
        return b"L" + _count(len(value)) + b"".join(encode(one) for one in value)
    raise TypeError(f"nothing to send for {value!r}")


class Failure(Exception):
    """The driver ended, or answered what is no answer."""


class Driver:
    """A process that calls verbs on one device."""

    def __init__(self, program, device):
        self.process = subprocess.Popen([program, device], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def call(self, verb, arguments, keep=False):
        """("ok", result), ("error", [type, text]) or ("unknown", verb)."""
        request = encode(verb) + encode(list(arguments)) + encode(keep)
        try:
            self.process.stdin.write(request)
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Failure(f"eglantine_verbs ended with status {self.process.wait()}") from None
        return self._value(), self._value()

    def close(self):
        self.process.stdin.close()
        return self.process.wait()

    def _bytes(self, count):
        data = self.process.stdout.read(count)
        if len(data) != count:
            raise Failure(f"eglantine_verbs ended with status {self.process.wait()}")
        return data

    def _count(self):
        return struct.unpack("<q", self._bytes(8))[0]

    def _text(self):
        return self._bytes(self._count()).decode()

    def _value(self):
        letter = self._bytes(1)
        if letter == b"N":
            return None
        if letter == b"b":
            return self._bytes(1) != b"\0"
        if letter == b"i":
            return self._count()
        if letter == b"s":
            return self._text()
        if letter == b"L":
            return [self._value() for _ in range(self._count())]
        if letter == b"T":
            return self._array()
        raise Failure(f"no answer begins with {letter!r}")

    def _array(self):
        dtype, _ = DTYPES[self._text()], self._text()
        shape = [self._count() for _ in range(self._count())]
        size = int(np.prod(shape, dtype=np.int64))
        return np.frombuffer(self._bytes(size * dtype.itemsize), dtype).reshape(shape)

# SPDX-License-Identifier: Apache-2.0
"""Reads profiles as pprof has them (github.com/google/pprof, proto/profile.proto)."""
import gzip


def _varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def _fields(data):
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        if key & 7 == 0:
            value, at = _varint(data, at)
        else:
            if key & 7 != 2:
                raise ValueError(f"wire type {key & 7}")
            size, at = _varint(data, at)
            value = data[at:at + size]
            at += size
        yield key >> 3, value


def _numbers(value):
    """Packed, or one alone."""
    if isinstance(value, int):
        return [value]
    found, at = [], 0
    while at < len(value):
        number, at = _varint(value, at)
        found.append(number)
    return found


def _signed(number):
    return number - (1 << 64) if number >> 63 else number


class Profile:
    """types, period_type: (type, unit). samples: (frames, labels, values), where frames are (function,
    file, line, where the function begins, is it inlined in the next), innermost first, or (None, None,
    address, 0, False)."""

    def __init__(self, path):
        with gzip.open(path) as f:
            data = f.read()
        self.fields, self.time, self.period = {}, 0, 0
        for number, value in _fields(data):
            self.fields.setdefault(number, []).append(value)
        self.strings = [s.decode(errors="surrogateescape") for s in self.fields[6]]
        self.time = (self.fields.get(9) or [0])[0]
        self.period = (self.fields.get(12) or [0])[0]
        self.period_type = self._type(self.fields[11][0])
        self.types = [self._type(t) for t in self.fields[1]]
        self.mappings = [dict(_fields(m)) for m in self.fields.get(3, [])]
        self.functions = {}
        for message in self.fields.get(5, []):
            f = dict(_fields(message))
            self.functions[f[1]] = (self._text(f.get(2)), self._text(f.get(4))), f.get(5, 0)
        self.locations = {}
        for message in self.fields.get(4, []):
            self._location(message)
        self.samples = [self._sample(s) for s in self.fields.get(2, [])]

    def _text(self, index):
        return self.strings[index or 0]

    def _type(self, message):
        f = dict(_fields(message))
        return self._text(f.get(1)), self._text(f.get(2))

    def _location(self, message):
        number = address = 0
        lines = []
        for key, value in _fields(message):
            if key == 1:
                number = value
            elif key == 3:
                address = value
            elif key == 4:
                line = dict(_fields(value))
                names, begin = self.functions.get(line.get(1), ((None, None), 0))
                lines.append((*names, line.get(2, 0), begin))
        lines = lines or [(None, None, address, 0)]
        self.locations[number] = [(*line, i + 1 < len(lines)) for i, line in enumerate(lines)]

    def _sample(self, message):
        frames, labels, values = [], [], []
        for key, value in _fields(message):
            if key == 1:
                frames += [f for i in _numbers(value) for f in self.locations[i]]
            elif key == 2:
                values += [_signed(v) for v in _numbers(value)]
            elif key == 3:
                label = dict(_fields(value))
                labels.append((self._text(label.get(1)), self._text(label.get(2)), label.get(3, 0)))
        return tuple(frames), tuple(sorted(labels)), tuple(values)

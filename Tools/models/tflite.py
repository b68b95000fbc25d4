"""Reads TensorFlow Lite files: just enough of FlatBuffers and of TFLite's schema for small convolutional networks.

Sources: flatbuffers.dev, "FlatBuffer Internals"; tensorflow/lite/schema/schema.fbs, whose field numbers stand below.
"""

import dataclasses
import struct
import sys
import zipfile

import numpy as np

TYPES = {0: np.float32, 1: np.float16, 2: np.int32}  # TensorType
OPERATORS = {  # BuiltinOperator; others go by their number
    0: "ADD",
    2: "CONCATENATION",
    3: "CONV_2D",
    4: "DEPTHWISE_CONV_2D",
    6: "DEQUANTIZE",
    17: "MAX_POOL_2D",
    18: "MUL",
    34: "PAD",
    54: "PRELU",
}
SAME_PADDING = 0  # Padding
RELU = 1  # ActivationFunctionType; 0 is none


class Table:
    """A FlatBuffers table: fields by their number in the schema, absent ones as the default given."""

    def __init__(self, data, position):
        self.data = data
        self.position = position

    def _at(self, form, position):
        return struct.unpack_from("<" + form, self.data, position)[0]

    def _field(self, number):
        directory = self.position - self._at("i", self.position)
        entry = 4 + 2 * number
        offset = self._at("H", directory + entry) if entry < self._at("H", directory) else 0
        return self.position + offset if offset else None

    def _target(self, position):
        """Where the offset stored at `position` leads."""
        return position + self._at("I", position)

    def number(self, field, form="i", default=0):
        position = self._field(field)
        return default if position is None else self._at(form, position)

    def table(self, field):
        position = self._field(field)
        return None if position is None else Table(self.data, self._target(position))

    def _vector(self, field):
        position = self._field(field)
        if position is None:
            return 0, 0
        start = self._target(position)
        return self._at("I", start), start + 4

    def integers(self, field):
        count, start = self._vector(field)
        return list(struct.unpack_from(f"<{count}i", self.data, start))

    def tables(self, field):
        count, start = self._vector(field)
        return [Table(self.data, self._target(start + 4 * index)) for index in range(count)]

    def bytes(self, field):
        count, start = self._vector(field)
        return self.data[start : start + count]


@dataclasses.dataclass
class Operator:
    kind: str
    inputs: list
    outputs: list
    options: Table

    def option(self, field, form="i", default=0):
        return self.options.number(field, form, default) if self.options else default


class Graph:
    """The one graph of a file: tensors are numbers, `constants` has the values of those that are known.

    Half floats are widened here, as their DEQUANTIZE operators would do, which are left out of `operators`.
    """

    def __init__(self, data):
        model = Table(data, struct.unpack_from("<I", data)[0])
        # A code above 127 stands in field 3, where older files have nothing.
        codes = [max(code.number(0, "b"), code.number(3)) for code in model.tables(1)]
        buffers = model.tables(4)
        (graph,) = model.tables(2)
        tensors = graph.tables(0)
        self.shapes = [tensor.integers(0) for tensor in tensors]
        self.inputs, self.outputs = graph.integers(1), graph.integers(2)
        self.constants = {}
        for index, tensor in enumerate(tensors):
            values = buffers[tensor.number(2, "I")].bytes(0)
            if values:
                dtype = TYPES.get(tensor.number(1, "b"))
                if dtype is None:
                    sys.exit(f"tensor {index} has the type {tensor.number(1, 'b')}, which this reader does not know")
                self.constants[index] = np.frombuffer(values, dtype).reshape(self.shapes[index])
        self.operators = []
        for operator in graph.tables(3):
            code = codes[operator.number(0, "I")]
            kind = OPERATORS.get(code, f"operator {code}")
            inputs, outputs = operator.integers(1), operator.integers(2)
            if kind == "DEQUANTIZE":
                self.constants[outputs[0]] = self.constants[inputs[0]].astype(np.float32)
            else:
                self.operators.append(Operator(kind, inputs, outputs, operator.table(4)))


def graph_in_task(task, name):
    """The graph of the file `name` in a MediaPipe task bundle, which is a zip archive."""
    with zipfile.ZipFile(task) as archive:
        return Graph(archive.read(name))

#!/usr/bin/env python3
"""convert_blendshapes.py SOURCE FOLDER: turn the expression network in MediaPipe's face_landmarker.task into
FOLDER/network.param and FOLDER/network.bin.

The network is an MLP-Mixer (Tolstikhin and others, 2021): the points become 96 tokens of 64 values, a class token goes
in front, four blocks mix first across tokens, then across values, and a last layer reads the class token. TFLite spells
each layer normalisation as ten small operators; we take the weights out of the file and write the network anew, with
tokens and values as the channels of 1x1 convolutions by turns.

Left out at the front: moving the points' centre to 0 and dividing by their mean distance from it. Our caller does that.
"""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import tflite
from pnnx_tool import arguments, to_ncnn

MEMBER = "face_blendshapes.tflite"
POINTS, VALUES, BLOCKS, SCORES = 146, 64, 4, 52


class Weights:
    """The weights in the order in which the file uses them."""

    def __init__(self, graph):
        self.layers = []  # (weights, bias, activation)
        self.gains = []
        scalars = {"MUL": [], "ADD": []}
        for operator in graph.operators:
            constants = [graph.constants[tensor] for tensor in operator.inputs if tensor in graph.constants]
            if operator.kind == "CONV_2D":
                weights, bias = (values.astype(np.float32) for values in constants)
                self.layers.append((weights, bias, operator.option(3, "b")))
            elif operator.kind == "CONCATENATION":
                (self.class_token,) = constants
            elif operator.kind == "MUL":
                self.gains += [values for values in constants if values.shape == (VALUES,)]
            if operator.kind in scalars:
                scalars[operator.kind] += [float(values.reshape(-1)[0]) for values in constants if values.size == 1]
        # The only number multiplied with scales the points; the only ones added keep variances above 0.
        (self.scale,) = set(scalars["MUL"])
        (self.epsilon,) = set(scalars["ADD"])
        if len(self.layers) != 3 + 4 * BLOCKS or len(self.gains) != 2 * BLOCKS:
            sys.exit(f"This is not the expression network we know: {len(self.layers)} layers, {len(self.gains)} gains.")


class Writer:
    """Tensors are [1, channels, 1, width]; `turn` exchanges the two."""

    def __init__(self, weights):
        self.weights = weights
        self.layers = iter(weights.layers)
        self.gains = iter(weights.gains)
        self.nodes = []
        self.constants = []

    def constant(self, values, dtype=np.float32):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values, dtype), name))
        return name

    def node(self, kind, *inputs, output=None, **attributes):
        output = output or f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def layer(self, tensor, scale=1.0):
        weights, bias, activation = next(self.layers)
        kernel = weights.reshape(weights.shape[0], -1, 1, 1) * np.float32(scale)
        result = self.node("Conv", tensor, self.constant(kernel), self.constant(bias), kernel_shape=[1, 1])
        return self.node("Relu", result) if activation == tflite.RELU else result

    def turn(self, tensor):
        return self.node("Transpose", tensor, perm=[0, 3, 2, 1])

    def normalise(self, tensor):
        return self.node(
            "LayerNormalization",
            tensor,
            self.constant(next(self.gains)),
            self.constant(np.zeros(VALUES)),
            axis=-1,
            epsilon=self.weights.epsilon,
        )

    def block(self, tensor):
        """`tensor` is [1, tokens, 1, values], as is the result."""
        tokens_mixed = self.layer(self.layer(self.normalise(tensor)))
        tensor = self.node("Add", tokens_mixed, tensor)
        values_mixed = self.turn(self.layer(self.layer(self.turn(self.normalise(tensor)))))
        return self.node("Add", values_mixed, tensor)

    def model(self):
        tokens = self.layer("points", scale=self.weights.scale)  # [1, 96, 1, 2]
        tokens = self.layer(self.turn(tokens))  # [1, 64, 1, 96]
        first = self.constant(self.weights.class_token.reshape(1, VALUES, 1, 1))
        tokens = self.turn(self.node("Concat", first, tokens, axis=3))  # [1, 97, 1, 64]
        for _ in range(BLOCKS):
            tokens = self.block(tokens)
        start, end, axis = (self.constant([number], np.int64) for number in (0, 1, 1))
        answer = self.layer(self.turn(self.node("Slice", tokens, start, end, axis)))
        self.node("Sigmoid", answer, output="scores")

        def described(name, shape):
            return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

        model = helper.make_model(
            helper.make_graph(
                self.nodes,
                "blendshapes",
                [described("points", [1, POINTS, 1, 2])],
                [described("scores", [1, SCORES, 1, 1])],
                self.constants,
            ),
            opset_imports=[helper.make_opsetid("", 17)],
        )
        model.ir_version = 8
        onnx.checker.check_model(model, full_check=True)
        return model


def main():
    source, folder = arguments(__doc__)
    onnx.save(Writer(Weights(tflite.graph_in_task(source, MEMBER))).model(), folder / "network.onnx")
    to_ncnn(folder / "network.onnx", [f"1,{POINTS},1,2"])


if __name__ == "__main__":
    main()

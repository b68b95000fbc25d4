#!/usr/bin/env python3
"""convert_facemesh.py SOURCE FOLDER: turn the face mesh in MediaPipe's face_landmarker.task into FOLDER/network.param
and FOLDER/network.bin.

TFLite keeps images as rows of pixels of channels and weights as [out][height][width][in]; ONNX, which pnnx reads, as
channels of rows of pixels and [out][in][height][width]. All else is the same network. Of its three outputs the points
and their presence are kept; nobody publishes what the third, a probability, tells.
"""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import tflite
from pnnx_tool import arguments, to_ncnn

MEMBER = "face_landmarks_detector.tflite"
OUTPUTS = ["points", "presence"]
NO_PADDING = [0, 0, 0, 0]


def channels_first(shape):
    images, height, width, channels = shape
    return [images, channels, height, width]


class Converter:
    def __init__(self, graph):
        self.graph = graph
        self.nodes = []
        self.weights = []

    def constant(self, name, values):
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def values(self, tensor):
        return self.graph.constants[tensor].astype(np.float32)

    def same_padding(self, operator, kernel, strides):
        """What TensorFlow's SAME adds: [top, left, bottom, right], an odd pixel at the bottom or right."""
        before, after = [], []
        for side, size, stride in zip(self.graph.shapes[operator.inputs[0]][1:3], kernel, strides):
            steps = -(-side // stride)
            total = max((steps - 1) * stride + size - side, 0)
            before.append(total // 2)
            after.append(total - total // 2)
        return before + after

    def window(self, operator, kernel):
        """Padding is option 0 and strides options 2 and 1 (height, width) of convolutions and pooling alike."""
        strides = [operator.option(2), operator.option(1)]
        same = operator.option(0, "b") == tflite.SAME_PADDING
        return {
            "kernel_shape": list(kernel),
            "strides": strides,
            "pads": self.same_padding(operator, kernel, strides) if same else NO_PADDING,
        }

    def add(self, kind, operator, *constants, inputs=None, **attributes):
        names = [f"t{tensor}" for tensor in inputs or operator.inputs[:1]]
        self.nodes.append(helper.make_node(kind, [*names, *constants], [f"t{operator.outputs[0]}"], **attributes))

    def convolution(self, operator, weights, groups, activation):
        if activation != 0:
            sys.exit(f"This is not the face mesh we know: a convolution has the activation {activation}.")
        output = operator.outputs[0]
        self.add(
            "Conv",
            operator,
            self.constant(f"w{output}", weights),
            self.constant(f"b{output}", self.values(operator.inputs[2])),
            group=groups,
            **self.window(operator, weights.shape[2:]),
        )

    def convert(self, operator):
        output = operator.outputs[0]
        if operator.kind == "CONV_2D":
            weights = self.values(operator.inputs[1]).transpose(0, 3, 1, 2)
            self.convolution(operator, weights, 1, operator.option(3, "b"))
        elif operator.kind == "DEPTHWISE_CONV_2D":
            weights = self.values(operator.inputs[1]).transpose(3, 0, 1, 2)
            self.convolution(operator, weights, weights.shape[0], operator.option(4, "b"))
        elif operator.kind == "MAX_POOL_2D":
            self.add("MaxPool", operator, **self.window(operator, [operator.option(4), operator.option(3)]))
        elif operator.kind == "PRELU":
            slopes = self.values(operator.inputs[1]).reshape(-1, 1, 1)
            self.add("PRelu", operator, self.constant(f"p{output}", slopes))
        elif operator.kind == "ADD":
            self.add("Add", operator, inputs=operator.inputs)
        elif operator.kind == "PAD":
            rows = self.graph.constants[operator.inputs[1]][[0, 3, 1, 2]]  # before and after, of each axis
            self.add(
                "Pad", operator, self.constant(f"q{output}", rows.T.reshape(-1).astype(np.int64)), mode="constant"
            )  # the default, but pnnx wants it said
        else:
            sys.exit(f"This is not the face mesh we know: it has the operator {operator.kind}.")

    def model(self):
        graph = self.graph
        outputs = graph.outputs[: len(OUTPUTS)]
        for operator in needed(graph.operators, outputs):
            self.convert(operator)
        self.nodes += [helper.make_node("Identity", [f"t{tensor}"], [name]) for tensor, name in zip(outputs, OUTPUTS)]
        self.nodes.insert(0, helper.make_node("Identity", ["image"], [f"t{graph.inputs[0]}"]))

        def described(name, tensor):
            return helper.make_tensor_value_info(name, TensorProto.FLOAT, channels_first(graph.shapes[tensor]))

        model = helper.make_model(
            helper.make_graph(
                self.nodes,
                "facemesh",
                [described("image", graph.inputs[0])],
                [described(name, tensor) for name, tensor in zip(OUTPUTS, outputs)],
                self.weights,
            ),
            opset_imports=[helper.make_opsetid("", 13)],
        )
        model.ir_version = 8
        onnx.checker.check_model(model, full_check=True)
        return model


def needed(operators, outputs):
    """The operators that `outputs` depend on, in their order."""
    wanted = set(outputs)
    kept = []
    for operator in reversed(operators):
        if wanted.intersection(operator.outputs):
            wanted.update(operator.inputs)
            kept.append(operator)
    return kept[::-1]


def main():
    source, folder = arguments(__doc__)
    onnx.save(Converter(tflite.graph_in_task(source, MEMBER)).model(), folder / "network.onnx")
    to_ncnn(folder / "network.onnx", ["1,3,256,256"])


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""convert_yunet.py SOURCE FOLDER: turn YuNet's ONNX file into FOLDER/network.param and FOLDER/network.bin.

The published graph lays the map of each of its twelve heads out as a list:

    convolution -> Transpose (to rows of channels) -> Reshape (to a list) [-> Sigmoid] -> output

We end the graph at the convolutions instead and put the sigmoid of the scores back behind them. The decoder walks the maps itself.
The graph then takes any size divisible by 32.
"""

import sys

import onnx
from onnx import TensorProto, helper

from pnnx_tool import arguments, replace, to_ncnn

# Channels of a head, by the first part of its name ("cls_8": class score at stride 8).
CHANNELS = {"cls": 1, "obj": 1, "bbox": 4, "kps": 10}
HAS_SIGMOID = {"cls", "obj"}


def step_back(producers, tensor, operator):
    """The input of the node that makes `tensor`, which must be an `operator`."""
    node = producers[tensor]
    if node.op_type != operator:
        sys.exit(f"This is not the YuNet we know: {tensor} comes from {node.op_type}, not from {operator}.")
    return node.input[0]


def rename_output(node, old, new):
    node.output[:] = [new if name == old else name for name in node.output]


def end_at_convolution(producers, output):
    """Let `output` be the map before its transposition. Returns the sigmoid node that must follow, if any."""
    kind = output.split("_")[0]
    tensor = step_back(producers, output, "Sigmoid") if kind in HAS_SIGMOID else output
    tensor = step_back(producers, tensor, "Reshape")
    scores = step_back(producers, tensor, "Transpose")
    if kind in HAS_SIGMOID:
        return helper.make_node("Sigmoid", [scores], [output])
    rename_output(producers[scores], scores, output)
    return None


def map_description(output):
    kind, stride = output.split("_")
    shape = [1, CHANNELS[kind], f"height/{stride}", f"width/{stride}"]
    return helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)


def leading_to(nodes, outputs):
    """The nodes that `outputs` are computed from, in their order."""
    needed, kept = set(outputs), []
    for node in reversed(nodes):
        if needed.intersection(node.output):
            needed.update(node.input)
            kept.append(node)
    return kept[::-1]


def cut(model):
    graph = model.graph
    producers = {output: node for node in graph.node for output in node.output}
    outputs = [output.name for output in graph.output]
    sigmoids = [end_at_convolution(producers, output) for output in outputs]

    nodes = [node for node in graph.node if node.op_type == "Conv" or node.output[0] not in outputs]
    replace(graph.node, leading_to(nodes + [node for node in sigmoids if node], outputs))
    needed = {name for node in graph.node for name in node.input}
    replace(graph.initializer, [weights for weights in graph.initializer if weights.name in needed])
    replace(graph.output, map(map_description, outputs))
    replace(graph.value_info, [])  # shapes of the lists, too

    size = graph.input[0].type.tensor_type.shape.dim
    size[2].dim_param, size[3].dim_param = "height", "width"
    onnx.checker.check_model(model)
    return model


def main():
    source, folder = arguments(__doc__)
    onnx.save(cut(onnx.load(source)), folder / "network.onnx")
    # Two sizes tell pnnx that height and width are free.
    to_ncnn(folder / "network.onnx", ["1,3,640,640"], ["1,3,320,320"])


if __name__ == "__main__":
    main()

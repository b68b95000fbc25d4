#!/usr/bin/env python3
"""convert_centerface.py SOURCE FOLDER: turn CenterFace's ONNX file into FOLDER/network.param and FOLDER/network.bin.

The published graph is written for ten images of 32x32, and lists all its weights as inputs, as ONNX did before version
4. The network itself is convolutions only: we name its one real input and leave height and width free.
"""

import onnx

from pnnx_tool import arguments, replace, to_ncnn

STRIDE = 4  # of all four maps


def free_size(tensor, height, width):
    """One image, of any height and width."""
    dimensions = tensor.type.tensor_type.shape.dim
    dimensions[0].dim_value = 1
    dimensions[2].dim_param, dimensions[3].dim_param = height, width


def generalise(model):
    graph = model.graph
    weights = {tensor.name for tensor in graph.initializer}
    used = {name for node in graph.node for name in node.input}
    replace(graph.input, [value for value in graph.input if value.name in used - weights])
    (image,) = graph.input
    free_size(image, "height", "width")
    for output in graph.output:
        free_size(output, f"height/{STRIDE}", f"width/{STRIDE}")
    replace(graph.value_info, [])  # shapes at 32x32, no longer true
    onnx.checker.check_model(model)
    return model


def main():
    source, folder = arguments(__doc__)
    onnx.save(generalise(onnx.load(source)), folder / "network.onnx")
    # Two sizes tell pnnx that height and width are free.
    to_ncnn(folder / "network.onnx", ["1,3,640,640"], ["1,3,320,320"])


if __name__ == "__main__":
    main()

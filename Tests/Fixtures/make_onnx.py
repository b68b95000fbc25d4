#!/usr/bin/env python3
"""Writes the ONNX networks of Tests/Fixtures/onnx, with what onnxruntime gives for them. Run once and commit; needs the
Python packages numpy, onnx and onnxruntime.

    python3 Tests/Fixtures/make_onnx.py

Each NAME.onnx takes an image of 3 x 16 x 16 values, (7 i mod 255) / 51 - 2 for the i-th. NAME.expected has all outputs, one
after the other, as little-endian 32-bit floats. Networks without a NAME.expected are for errors and for families.
"""

import pathlib

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

FOLDER = pathlib.Path(__file__).parent / "onnx"
SIDE = 16
random = np.random.default_rng(11)


class Net:
    """A graph while it is made. Each operator returns the name of what it gives."""

    def __init__(self, operator_set=13, shape=(1, 3, SIDE, SIDE), kind=TensorProto.FLOAT):
        self.operator_set = operator_set
        self.nodes, self.weights = [], []
        self.image = "image"
        self.inputs = [helper.make_tensor_value_info("image", kind, shape)]
        self.channels = {"image": 3}

    def constant(self, values, kind=np.float32):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(values, kind), name))
        return name

    def add(self, operator, *inputs, outputs=1, **attributes):
        names = [f"{operator.lower()}{len(self.nodes)}" + (f"_{i}" if i else "") for i in range(outputs)]
        self.nodes.append(helper.make_node(operator, inputs, names, name=f"{operator}_{len(self.nodes)}", **attributes))
        for name in names:
            self.channels[name] = self.channels.get(inputs[0]) if inputs else None
        return names[0] if outputs == 1 else names

    def conv(self, x, channels, kernel=3, group=1, bias=True, kind=np.float32, **attributes):
        shape = (channels, self.channels[x] // group, kernel, kernel)
        inputs = [x, self.constant(random.normal(0, 1 / (kernel * shape[1] ** 0.5), shape), kind)]
        if bias:
            inputs.append(self.constant(random.normal(0, 0.1, channels), kind))
        if "pads" not in attributes and "auto_pad" not in attributes:
            attributes["pads"] = [kernel // 2] * 4
        y = self.add("Conv", *inputs, group=group, **attributes)
        self.channels[y] = channels
        return y

    def norm(self, x):
        channels = self.channels[x]
        numbers = [random.uniform(0.5, 1.5, channels), random.normal(0, 0.2, channels),
                   random.normal(0, 0.2, channels), random.uniform(0.5, 1.5, channels)]
        return self.add("BatchNormalization", x, *map(self.constant, numbers), epsilon=1e-3)

    def model(self, outputs):
        infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs]
        graph = helper.make_graph(self.nodes, "fixture", self.inputs, infos, self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.operator_set)], ir_version=8)

    def save(self, name, *outputs, run=True, write=True, listed=False):
        model = self.model(outputs)
        for tensor in model.graph.initializer if listed else ():
            tensor.float_data.extend(numpy_helper.to_array(tensor).ravel())
            tensor.ClearField("raw_data")
        if write:
            (FOLDER / f"{name}.onnx").write_bytes(model.SerializeToString())
        if run:
            session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
            image = ((np.arange(3 * SIDE * SIDE) * 7 % 255) / 51 - 2).astype(np.float32).reshape(1, 3, SIDE, SIDE)
            results = session.run(None, {"image": image})
            (FOLDER / f"{name}.expected").write_bytes(b"".join(r.astype("<f4").tobytes() for r in results))


def convolutions():
    net = Net()
    x = net.add("Relu", net.norm(net.conv(net.image, 8, strides=[2, 2], bias=False)))
    x = net.add("Relu", net.conv(x, 8, group=8))
    x = net.conv(x, 12, group=2, pads=[0, 1, 2, 1])
    x = net.conv(x, 6, dilations=[2, 2], pads=[2, 2, 2, 2])
    net.save("convolutions", net.add("Sigmoid", net.conv(x, 2, kernel=1)), net.conv(x, 3, kernel=1))

    net = Net()
    x = net.conv(net.image, 4, auto_pad="SAME_UPPER", strides=[2, 2])
    x = net.conv(x, 4, kernel=2, auto_pad="SAME_LOWER")
    x = net.conv(x, 4, auto_pad="VALID")
    padded = net.add("Pad", x, net.constant([0, 0, 1, 0, 0, 0, 1, 2], np.int64), mode="constant")
    net.save("paddings", net.conv(padded, 3, pads=[0, 0, 0, 0]),
             net.add("Pad", x, net.constant([0, 0, 0, 2, 0, 0, 1, 0], np.int64), net.constant(0.5)))

    weights = random.normal(0, 0.3, (4, 3, 3, 3)).astype(np.float16)
    weights[0, 0, 0] = 0, 1e-6, -3e-5  # the smallest have no exponent
    net = Net()
    image = net.add("Cast", net.image, to=TensorProto.FLOAT16)
    net.save("half_floats", net.add("Cast", net.add("Conv", image, net.constant(weights, np.float16)), to=1), run=False)
    net = Net()
    net.save("half_floats", net.add("Conv", net.image, net.constant(weights)), write=False)

    # Numbers one by one, as some exporters write them, and a constant that is a node.
    net = Net()
    y = net.conv(net.image, 2)
    factor = net.add("Constant", value=numpy_helper.from_array(np.float32([[[2]], [[3]]])))
    net.save("listed_floats", net.add("Mul", y, factor), listed=True)


def transposed():
    net = Net()
    x = net.conv(net.image, 6, strides=[2, 2])

    def up(x, channels, kernel, group=1, **attributes):
        shape = (net.channels[x], channels // group, kernel, kernel)
        y = net.add("ConvTranspose", x, net.constant(random.normal(0, 0.3, shape)), group=group, **attributes)
        net.channels[y] = channels
        return y

    y = net.add("Relu", net.norm(up(x, 4, 2, strides=[2, 2])))
    z = up(x, 4, 3, group=2, strides=[2, 2], pads=[1, 1, 1, 1], output_padding=[1, 1])
    net.save("transposed", net.add("Add", y, z), up(x, 3, 4, strides=[2, 2], pads=[1, 1, 1, 1]))


def activations():
    net = Net(14)
    x = net.conv(net.image, 4, strides=[4, 4])
    forked = net.conv(x, 4, kernel=1)  # taken twice, so that nothing can become part of it
    parts = [
        net.add("Relu", x), net.add("LeakyRelu", x, alpha=0.1), net.add("LeakyRelu", net.conv(x, 4), alpha=0.2),
        net.add("PRelu", x, net.constant(random.uniform(0, 0.5, (4, 1, 1)))), net.add("PRelu", x, net.constant([0.25])),
        net.add("Clip", x, net.constant(0), net.constant(1)), net.add("Clip", net.conv(x, 4), net.constant(-0.5), ""),
        net.add("Clip", x, net.constant(0)), net.add("Sigmoid", x), net.add("HardSigmoid", x, alpha=0.3, beta=0.4),
        net.add("HardSwish", x), net.add("HardSwish", net.conv(x, 4)), net.add("Tanh", x),
        net.add("Mul", forked, net.add("Sigmoid", forked)),
    ]
    net.save("activations", net.add("Concat", *parts, axis=1))


def arithmetic():
    net = Net()
    x = net.conv(net.image, 4, strides=[2, 2])
    each = (4, 1, 1)
    y = net.add("Mul", net.conv(x, 4), net.constant(random.uniform(0.5, 2, each)))
    y = net.add("Add", y, net.constant(random.normal(0, 1, (1, *each))))
    y = net.add("Div", y, net.constant(1.5))
    y = net.add("Sub", net.constant(0.25), y)
    z = net.add("Sub", net.norm(x), net.constant([[[0.5]]]))  # x is taken more than once
    gate = net.add("Sigmoid", net.conv(net.add("GlobalAveragePool", x), 4, kernel=1))
    mean = net.add("ReduceMean", x, axes=[2, 3], keepdims=1)
    net.channels[mean] = 4
    net.save("arithmetic", net.add("Sum", y, z, x), net.add("Mul", gate, x), net.add("Sub", y, z),
             net.add("Div", x, net.add("Add", net.add("Sigmoid", y), net.constant(0.5))),  # not near zero
             net.add("Mul", z, net.add("HardSigmoid", net.conv(mean, 4, kernel=1))))


def pools():
    net = Net()
    x = net.conv(net.image, 4, pads=[1, 1, 0, 0])
    square = dict(kernel_shape=[3, 3], strides=[2, 2])
    net.save(
        "pools", net.add("MaxPool", net.image, kernel_shape=[2, 2], strides=[2, 2]),
        net.add("MaxPool", x, pads=[1, 1, 1, 1], **square), net.add("MaxPool", x, ceil_mode=1, **square),
        net.add("MaxPool", x, kernel_shape=[5, 5], pads=[2, 2, 2, 2]),
        net.add("MaxPool", x, kernel_shape=[2, 3], strides=[2, 1], pads=[0, 1, 0, 1]),
        net.add("AveragePool", x, pads=[1, 1, 1, 1], **square),
        net.add("AveragePool", x, pads=[1, 1, 1, 1], count_include_pad=1, **square))


def sizes():
    net = Net(shape=(1, 3, "height", "width"))
    x = net.conv(net.image, 4, strides=[2, 2])
    half = net.conv(x, 4, strides=[2, 2])

    def size(x):
        """The two sides of a map, as exporters compute them."""
        shape = net.add("Shape", x)
        sides = [net.add("Unsqueeze", net.add("Gather", shape, net.constant(i, np.int64), axis=0),
                         net.constant([0], np.int64)) for i in (2, 3)]
        return net.add("Concat", *sides, axis=0)

    first = net.add("Slice", net.add("Shape", half), *(net.constant([i], np.int64) for i in (0, 2, 0)))
    wanted = net.add("Concat", first, net.add("Cast", size(x), to=TensorProto.INT64), axis=0)
    net.save(
        "sizes", net.add("Add", x, net.add("Resize", half, "", "", wanted, mode="nearest", nearest_mode="floor",
                                           coordinate_transformation_mode="asymmetric")),
        net.add("Resize", half, "", net.constant([1, 1, 2, 2]), mode="nearest"),
        net.add("Resize", half, "", net.constant([1, 1, 3, 2]), mode="linear"),
        net.add("Resize", half, "", net.constant([1, 1, 2, 2]), mode="linear",
                coordinate_transformation_mode="align_corners"))

    net = Net(9)
    x = net.conv(net.image, 4, strides=[2, 2])
    net.save("upsample", net.add("Upsample", x, net.constant([1, 1, 2, 2]), mode="nearest"))


def layouts():
    net = Net()
    x = net.conv(net.image, 8, strides=[2, 2])
    x = net.add("Reshape", x, net.constant([1, 2, 4, 8, 8], np.int64))
    x = net.add("Transpose", x, perm=[0, 2, 1, 3, 4])
    x = net.add("Reshape", x, net.constant([1, -1, 8, 8], np.int64))
    net.channels[x] = 8
    one, two = net.add("Split", x, net.constant([3, 5], np.int64), axis=1, outputs=2)
    net.channels[one] = 3
    last = net.add("Slice", two, *(net.constant([i], np.int64) for i in (-2, 2**31, 1)))
    net.channels[last] = 2
    y = net.add("Transpose", net.add("Transpose", net.conv(one, 4), perm=[0, 2, 3, 1]), perm=[0, 3, 1, 2])
    net.channels[y] = 4
    y = net.add("Identity", net.add("Dropout", y))
    unused = net.add("Split", x, net.constant([6, 2], np.int64), axis=1, outputs=2)[1]
    net.save("layouts", net.add("Concat", net.add("Relu", y), last, net.conv(last, 1), unused, axis=1))


def list_of(net, x, channels, sigmoid=False):
    """As exporters lay the map of a head out as a list."""
    x = net.add("Reshape", net.add("Transpose", x, perm=[0, 2, 3, 1]), net.constant([1, -1, channels], np.int64))
    return net.add("Sigmoid", x) if sigmoid else x


def trunk(net, image, strides):
    """A map for each stride."""
    maps, x, stride = [], image, 1
    while stride < strides[-1]:
        x, stride = net.add("Relu", net.conv(x, 4, strides=[2, 2])), stride * 2
        if stride in strides:
            maps.append(x)
    return maps


def families():
    anything = (1, 3, "height", "width")

    net = Net(11, anything)
    maps = trunk(net, net.image, [8, 16, 32])
    heads = [list_of(net, net.conv(m, count), count, count == 1) for count in (1, 1, 4, 10) for m in maps]
    net.save("yunet", *heads, run=False)

    net = Net(11, (1, 640, 640, 3), TensorProto.UINT8)  # bytes, channels last, normalised by the network
    image = net.add("Cast", net.add("Transpose", net.image, perm=[0, 3, 1, 2]), to=TensorProto.FLOAT)
    image = net.add("Div", net.add("Sub", image, net.constant([[[120]], [[110]], [[100]]])), net.constant(64))
    net.channels[image] = 3
    scores, boxes, points = [], [], []
    for m in trunk(net, image, [8, 16, 32]):
        scores.append(list_of(net, net.conv(m, 2), 1, True))
        boxes.append(list_of(net, net.add("Mul", net.conv(m, 8), net.constant(1.25)), 4))
        points.append(list_of(net, net.conv(m, 20), 10))
    net.save("scrfd", *scores, *boxes, *points, run=False)

    net = Net(11, (1, 3, 64, 64))
    lists = []
    for m, side in zip(trunk(net, net.image, [8, 16, 32]), (8, 4, 2)):
        head = net.add("Reshape", net.conv(m, 48), net.constant([1, 3, 16, side, side], np.int64))
        head = net.add("Transpose", head, perm=[0, 1, 3, 4, 2])
        score = net.add("Sigmoid", net.add("Slice", head, *(net.constant([i], np.int64) for i in (4, 5, 4))))
        place = net.add("Slice", head, *(net.constant([i], np.int64) for i in (0, 2, 4)))
        place = net.add("Add", net.add("Mul", net.add("Sigmoid", place), net.constant(2)),
                        net.constant(random.normal(0, 1, (1, 1, side, side, 2))))
        both = net.add("Concat", place, net.add("Pow", score, net.constant(2)), axis=-1)
        lists.append(net.add("Reshape", both, net.constant([1, -1, 3], np.int64)))
    net.save("yolov5-face", net.add("Concat", *lists, axis=1), run=False)

    net = Net(11, (10, 3, 32, 32))
    (x,) = trunk(net, net.image, [4])
    heads = [net.conv(x, count) for count in (1, 2, 2, 10)]
    net.save("centerface", net.add("Sigmoid", heads[0]), *heads[1:], run=False)


def refused():
    net = Net()
    x = net.add("GridSample", net.conv(net.image, 4), net.constant(np.zeros((1, 16, 16, 2))), mode="bilinear")
    net.channels[x] = 4
    net.save("unknown_operator", net.conv(x, 4), run=False)

    net = Net()
    x = net.add("Softmax", net.conv(net.image, 4), axis=1)
    net.channels[x] = 4
    net.save("softmax_inside", net.conv(x, 4), run=False)

    net = Net()
    image = net.add("Mul", net.image, net.constant(255))
    net.channels[image] = 3
    net.save("unit_input", net.conv(image, 4), run=False)

    net = Net()
    y = net.conv(net.image, 4)
    model = net.model([y])
    for tensor in model.graph.initializer:
        size = len(tensor.raw_data)
        tensor.ClearField("raw_data")
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value="weights.bin")
        tensor.external_data.add(key="length", value=str(size))
    (FOLDER / "external_data.onnx").write_bytes(model.SerializeToString())


def later_families():
    net = Net(11, (1, 3, "height", "width"))  # all strides in one list for each kind, the scores behind a softmax
    maps = trunk(net, net.image, [8, 16, 32])
    boxes, scores, points = (
        net.add("Concat", *[list_of(net, net.conv(m, 2 * count, kernel=1), count) for m in maps], axis=1)
        for count in (4, 2, 10))
    net.save("retinaface", boxes, net.add("Softmax", scores, axis=-1), points, run=False)

    net = Net(11, ("batch", 3, "height", "width"))  # lists for any batch: each has the first number of its map's shape
    maps, heads = trunk(net, net.image, [8, 16, 32]), []
    for count in (1, 1, 4, 10):
        for m in maps:
            head = net.conv(m, count)
            batch = net.add("Gather", net.add("Shape", head), net.constant(0, np.int64), axis=0)
            shape = net.add("Concat", net.add("Unsqueeze", batch, axes=[0]), net.constant([-1], np.int64),
                            net.constant([count], np.int64), axis=0)
            head = net.add("Reshape", net.add("Transpose", head, perm=[0, 2, 3, 1]), shape)
            heads.append(net.add("Sigmoid", head) if count == 1 else head)
    net.save("yunet_any_batch", *heads, run=False)


def yunet_heads(net, maps, kind=np.float32):
    """YuNet's outputs, on maps of 4 channels."""
    return [list_of(net, net.conv(m, count, kind=kind), count, count == 1) for count in (1, 1, 4, 10) for m in maps]


def for_plug_ins():
    """YuNets that the importer does not take."""
    net = Net(16, (1, 3, "height", "width"))  # an operator that it does not know
    maps = [net.add("Elu", m) for m in trunk(net, net.image, [8, 16, 32])]
    for m in maps:
        net.channels[m] = 4
    net.save("yunet_elu", *yunet_heads(net, maps), run=False)

    net = Net(16, (1, 3, 64, 64))  # layers that are made for one size
    maps = []
    for m, side in zip(trunk(net, net.image, [8, 16, 32]), (8, 4, 2)):
        m = net.add("Elu", net.add("Reshape", m, net.constant([1, 4, side * side], np.int64)))
        maps.append(net.add("Reshape", m, net.constant([1, 4, side, side], np.int64)))
        net.channels[maps[-1]] = 4
    net.save("yunet_64", *yunet_heads(net, maps), run=False)

    net = Net(16, (1, 3, "height", "width"), TensorProto.FLOAT16)  # halves of floats from the image to the outputs
    maps, x, stride = [], net.image, 1
    while stride < 32:
        x, stride = net.add("Elu", net.conv(x, 4, kind=np.float16, strides=[2, 2])), stride * 2
        net.channels[x] = 4
        maps += [x] * (stride >= 8)
    model = net.model(yunet_heads(net, maps, np.float16))
    for output in model.graph.output:
        output.type.tensor_type.elem_type = TensorProto.FLOAT16
    (FOLDER / "yunet_half.onnx").write_bytes(model.SerializeToString())


def main():
    FOLDER.mkdir(exist_ok=True)
    for make in (convolutions, transposed, activations, arithmetic, pools, sizes, layouts, families, refused,
                 later_families, for_plug_ins):
        make()


if __name__ == "__main__":
    main()

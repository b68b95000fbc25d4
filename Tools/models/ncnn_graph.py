"""ncnn's text graph and weights, read in Python alone: layers with their parameters, convolutions with their numbers."""

import array
import dataclasses
import pathlib
import struct
import sys


@dataclasses.dataclass
class Layer:
    kind: str
    name: str
    inputs: list
    outputs: list
    parameters: dict  # by ncnn's numbers for them, as written
    # Of convolutions.
    in_channels: int = 0
    weights: array.array = None  # [out][in][row][column]
    bias: array.array = None
    slopes: array.array = None  # of a PReLU

    def integer(self, number, default=0):
        return int(self.parameters.get(number, default))

    @property
    def is_convolution(self):
        return self.kind in ("Convolution", "ConvolutionDepthWise", "Deconvolution")

    @property
    def out_channels(self):
        return self.integer(0)

    @property
    def kernel(self):
        return self.integer(1)

    @property
    def is_depthwise(self):
        return self.kind == "ConvolutionDepthWise" or (
            self.in_channels == 1 and self.out_channels == 1 and self.kernel == 3
        )

    @property
    def is_transposed(self):
        return self.kind == "Deconvolution"

    @property
    def has_relu(self):
        return self.integer(9) == 1


def read_graph(param, binary):
    """The layers of a network in order, with the weights of its convolutions, which must be 32-bit floats."""
    lines = [line.split() for line in pathlib.Path(param).read_text(encoding="ascii").splitlines()]
    layers = []
    channels = {}
    data = memoryview(pathlib.Path(binary).read_bytes())
    for fields in lines[2:]:
        count_in, count_out = int(fields[2]), int(fields[3])
        names = fields[4 : 4 + count_in + count_out]
        pairs = (field.split("=") for field in fields[4 + count_in + count_out :])
        layer = Layer(
            fields[0],
            fields[1],
            names[:count_in],
            names[count_in:],
            {int(key): value for key, value in pairs if int(key) >= 0},
        )
        if layer.is_convolution:
            layer.in_channels = channels[layer.inputs[0]]
            data = read_weights(layer, data)
        elif layer.kind == "PReLU":
            layer.slopes = floats(data[: 4 * layer.integer(0)])
            data = data[4 * layer.integer(0) :]
        made = 3 if layer.kind == "Input" else layer.out_channels if layer.is_convolution else channels[layer.inputs[0]]
        if layer.kind == "Padding":
            made += layer.integer(8)
        channels.update(dict.fromkeys(layer.outputs, made))
        layers.append(layer)
    if len(data) > 0:
        sys.exit(f"{binary} does not belong to {param}: {len(data)} bytes are left over.")
    return layers


def read_weights(layer, data):
    if struct.unpack_from("<I", data)[0] != 0:
        sys.exit(f"The weights of {layer.name} are not 32-bit floats.")
    count, channels = layer.integer(6), layer.out_channels
    layer.weights = floats(data[4 : 4 + 4 * count])
    layer.bias = floats(data[4 + 4 * count : 4 + 4 * (count + channels)])
    return data[4 + 4 * (count + channels) :]


def floats(data):
    values = array.array("f", data.tobytes())
    if sys.byteorder == "big":
        values.byteswap()
    return values


def origin_of(layers, blob):
    """The convolution or sum that a blob's values come from."""
    for layer in layers:
        if blob in layer.outputs:
            passes_on = layer.kind in ("Split", "Pooling", "Interp")
            return origin_of(layers, layer.inputs[0]) if passes_on else layer
    raise KeyError(blob)


def fused_blob(layers, layer):
    """What the kernels compute of a convolution together with sums and PReLUs after it; None for what ends the network."""
    blob = layer.outputs[0]
    readers = [other for other in layers if blob in other.inputs]
    while len(readers) == 1 and readers[0].kind in ("PReLU", "BinaryOp"):
        blob = readers[0].outputs[0]
        readers = [other for other in layers if blob in other.inputs]
    return blob if readers else None


def is_signed(layers, layer):
    """Whether a convolution or sum gives values below zero."""
    if layer.is_convolution:
        return not layer.has_relu
    return any(is_signed(layers, origin_of(layers, blob)) for blob in layer.inputs)


def adding_convolution(layers, layer):
    """The convolution that a sum is computed by: the later of two; None where one side is doubled in size, and itself of a
    convolution."""
    if layer.is_convolution:
        return layer
    origins = [origin_of(layers, blob) for blob in layer.inputs]
    if any(made.kind == "Interp" for made in layers if set(made.outputs) & set(layer.inputs)):
        return None
    return max((adding_convolution(layers, origin) or origin for origin in origins), key=layers.index)

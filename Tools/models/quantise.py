#!/usr/bin/env python3
"""quantise.py NETWORK.param NETWORK.bin RANGES.json RESULT: the network in integers, as the fused kernels run it.

In 16 bits, if RANGES.json has each channel's largest absolute value: see sixteen_bits.py.

In eight bits, values are bytes of 0...127, weights -127...127 (of the image +-64, so that two products fit 16 bits), sums whole
numbers. A sum becomes a byte by a multiplier of 1/32768 for each channel. It is a whole number because the step of a channel's weights is
chosen so; it is at least 127, so that the sum does not leave 16 bits before the byte leaves its range. Where that would leave
the weights of most channels less than half of their range, as with many inputs, sums are shifted to the right first.

Where there is no ReLU, each channel has a step and a zero point of its own; after a ReLU, a step. Steps go into the next
weights. Both sides of a sum have the sum's step and zero point; of two convolutions the later one adds, in steps, and leaves
the zero point to the other. What ends the network is given as floats. RANGES.json has each channel's lowest and highest value
(calibrate.py measures them).

Python's own numbers alone, one after another, so that every machine makes the same bytes. RESULT has "FEI8", the number of
convolutions (32 bits), and for each of them in the graph's order: a byte, 1 to 3; with 3: a byte, by which sums are shifted to
the right; the weights as bytes; biases as 32 bits; then with 1 and 3: multipliers as 16 bits and zero points as bytes; with 2:
the floats that sums are multiplied by. All little-endian.
"""

import json
import math
import pathlib
import struct
import sys

sys.dont_write_bytecode = True  # leave no files in the checkout

from ncnn_graph import adding_convolution, origin_of, read_graph  # noqa: E402
from sixteen_bits import Quantiser16  # noqa: E402

MAX_VALUE = 127
MAX_WEIGHT = 127
MAX_IMAGE_WEIGHT = 64
MAX_SHIFT = 6
USUAL_WEIGHT = 120  # that the largest of a channel reaches, in most, with the shift
MAX_BIAS = 1 << 23  # any sum beyond is saturated in any case
UNIT = 32768  # of a multiplier
WIDENING = 1.25  # of a step that is too small


def limited(value, least, most):
    return max(least, min(most, value))


class Values:
    """What a blob's bytes mean: (byte - zero) * step, by channel."""

    def __init__(self, steps, zeros):
        self.steps, self.zeros = steps, zeros


def unsigned_values(high):
    """Of a range from zero. Channels that hardly ever differ from zero get no step so small that weights explode."""
    most = max(high)
    return Values([max(value, most * 1e-3) / MAX_VALUE for value in high], [0] * len(high))


def signed_values(low, high):
    steps = [(h - l) / MAX_VALUE for l, h in zip(low, high)]
    return Values(steps, [round(-l / step) for l, step in zip(low, steps)])


def shared_ranges(layers, ranges):
    """The ranges, where both sides of a sum have the sum's, and sums of sums one that holds all of theirs."""
    shared = dict(ranges)
    groups = {}  # by layer, the names of all layers that have one range
    for layer in layers:
        if layer.kind == "BinaryOp":
            names = {layer.name, *(origin_of(layers, blob).name for blob in layer.inputs)}
            for name in list(names):
                names |= groups.get(name, set())
            groups.update(dict.fromkeys(names, names))
    sums = {layer.name for layer in layers if layer.kind == "BinaryOp"}
    for name, names in groups.items():
        spans = [ranges[other] for other in sorted(names & sums)]
        shared[name] = {"high": [max(ends) for ends in zip(*(span["high"] for span in spans))]}
        if any("low" in span for span in spans):
            zeros = [0] * len(spans[0]["high"])
            shared[name]["low"] = [min(ends) for ends in zip(*(span.get("low", zeros) for span in spans))]
    return shared


def values_of(span):
    return signed_values(span["low"], span["high"]) if "low" in span else unsigned_values(span["high"])


class Quantiser:
    def __init__(self, layers, ranges):
        self.layers = layers
        self.ranges = shared_ranges(layers, ranges)
        self.values = {}  # by blob
        self.used = {blob for layer in layers for blob in layer.inputs}
        sums = [adding_convolution(layers, layer) for layer in layers if layer.kind == "BinaryOp"]
        self.adding = {layer.name for layer in sums if layer}
        self.shared = {
            origin_of(layers, blob).name for layer in layers if layer.kind == "BinaryOp" for blob in layer.inputs
        }
        self.result = []

    def run(self):
        for layer in self.layers:
            if layer.kind == "Input":
                made = Values([1.0] * 3, [0] * 3)
            elif layer.is_convolution:
                made = self.convolution(layer, self.values[layer.inputs[0]])
            elif layer.kind == "BinaryOp":
                made = values_of(self.ranges[layer.name])
            elif layer.kind in ("Split", "Pooling", "Interp"):
                made = self.values[layer.inputs[0]]
            else:
                sys.exit(f"There are no kernels in eight bits for the layer {layer.name} ({layer.kind}).")
            self.values.update(dict.fromkeys(layer.outputs, made))
        count = sum(layer.is_convolution for layer in self.layers)
        return b"".join([b"FEI8", struct.pack("<I", count), *self.result])

    def convolution(self, layer, source):
        """Weights by output channel, as if the source's bytes were multiplied; then what its sums mean."""
        inputs = 1 if layer.is_depthwise else layer.in_channels
        taps = layer.kernel**2
        scaled = []
        for out in range(layer.out_channels):
            own = layer.weights[out * inputs * taps : (out + 1) * inputs * taps]
            steps = source.steps[out : out + 1] if layer.is_depthwise else source.steps
            scaled.append([weight * steps[i // taps] for i, weight in enumerate(own)])
        if layer.outputs[0] not in self.used:
            self.add_floats(layer, scaled, source)
            return None
        if layer.is_transposed and any(source.zeros):
            sys.exit(f"There are no kernels in eight bits for {layer.name}, whose input can be below zero.")
        made = values_of(self.ranges[layer.name])
        self.add_bytes(layer, scaled, source, made)
        return made

    def add_bytes(self, layer, scaled, source, made):
        most = MAX_IMAGE_WEIGHT if layer.in_channels == 3 and layer.kernel == 3 else MAX_WEIGHT
        self.shift = self.shift_of(layer, scaled, made)
        rows, biases, multipliers = [], [], []
        for out, weights in enumerate(scaled):
            whole, bias, multiplier = self.fitted(layer, out, weights, most, source, made)
            while multiplier >= UNIT:
                # A channel of hardly any use, whose values are small beside its weights or bias: larger steps do for
                # it.
                if layer.name in self.shared:
                    sys.exit(f"Channel {out} of {layer.name} is too large for its range.")
                made.zeros[out] = round(made.zeros[out] / WIDENING)
                made.steps[out] *= WIDENING
                whole, bias, multiplier = self.fitted(layer, out, weights, most, source, made)
            rows.append(whole)
            biases.append(limited(bias, -MAX_BIAS, MAX_BIAS))
            multipliers.append(multiplier)
        self.add(1, rows, biases, struct.pack(f"<{len(rows)}H", *multipliers) + bytes(made.zeros))

    @staticmethod
    def shift_of(layer, scaled, made):
        """How many bits of the sums are left out."""
        if layer.is_depthwise or layer.in_channels == 3:
            return 0
        largest = sorted(max(map(abs, weights)) / step * UNIT / MAX_VALUE for weights, step in zip(scaled, made.steps))
        usual = largest[len(largest) // 2]
        shift = 0
        while usual < MAX_WEIGHT / 2 and shift < MAX_SHIFT and usual * 2**shift < USUAL_WEIGHT:
            shift += 1
        return shift

    def fitted(self, layer, out, weights, most, source, made):
        """A channel's weights and bias in whole steps, and its multiplier."""
        step, unit = made.steps[out], UNIT * 2**self.shift
        multiplier = math.ceil(max(max(map(abs, weights)) / most / step * unit, MAX_VALUE))
        while True:
            whole, bias = self.whole(layer, out, weights, step * multiplier / unit, most, source)
            zero = 0 if layer.name in self.adding else made.zeros[out]
            bias = round(bias + zero * unit / multiplier + (2**self.shift - 1) / 2)
            if multiplier >= UNIT or not layer.is_depthwise or fits_16_bits(whole, bias):
                return whole, bias, multiplier
            multiplier = math.ceil(multiplier * 1.01)

    def add_floats(self, layer, scaled, source):
        rows, biases, scales = [], [], []
        for out, weights in enumerate(scaled):
            scale = max(map(abs, weights)) / MAX_WEIGHT
            whole, bias = self.whole(layer, out, weights, scale, MAX_WEIGHT, source)
            rows.append(whole)
            biases.append(limited(round(bias), -MAX_BIAS, MAX_BIAS))
            scales.append(scale)
        self.add(2, rows, biases, struct.pack(f"<{len(rows)}f", *scales))

    @staticmethod
    def whole(layer, out, weights, step, most, source):
        """The weights in whole steps, and the bias in steps, without what the source's zero points add."""
        whole = [limited(round(weight / step), -most, most) for weight in weights]
        zeros = [source.zeros[out]] if layer.is_depthwise else source.zeros
        taps = layer.kernel**2
        return whole, layer.bias[out] / step - sum(zeros[i // taps] * weight for i, weight in enumerate(whole))

    def add(self, tag, rows, biases, rest):
        weights = [weight for row in rows for weight in row]
        if tag == 1 and self.shift > 0:
            tag = bytes([3, self.shift])
        else:
            tag = bytes([tag])
        self.result += [tag, struct.pack(f"<{len(weights)}b", *weights), struct.pack(f"<{len(biases)}i", *biases), rest]


def fits_16_bits(weights, bias):
    """Whether every sum does, as AVX2 adds pairs of products in 16 bits."""
    return (
        bias + MAX_VALUE * sum(w for w in weights if w > 0) <= 32767
        and bias + MAX_VALUE * sum(w for w in weights if w < 0) >= -32768
    )


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    param, binary, ranges, result = map(pathlib.Path, sys.argv[1:])
    spans = json.loads(ranges.read_text(encoding="utf-8"))["layers"]
    quantiser = Quantiser16 if any("most" in span for span in spans.values()) else Quantiser
    result.write_bytes(quantiser(read_graph(param, binary), spans).run())


if __name__ == "__main__":
    main()

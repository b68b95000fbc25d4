"""The network in integers of 16 bits, for quantise.py, from the largest absolute value of each channel.

Each channel's values have a step of their own, with room for values HEADROOM times as large as the photos showed. The step goes
into the next weights, and both sides of a sum share it. A channel's weights have the smallest step with which neither a weight
nor any sum leaves its range, whatever the values are; fused_network_create asserts that.

After "FI16" and the number of convolutions (32 bits), the result has for each of them in the graph's order: a byte, 1 if it gives
16 bits, 2 if it gives floats, 3 if it reads the image, and with 3 a byte: the power of two by which the image is multiplied; the
weights as 16 bits; biases as 32 bits; the floats that sums are multiplied by. A PReLU's slopes follow as floats. All
little-endian.
"""

import math
import struct
import sys

LARGEST = 32767
LARGEST_SUM = 2**31 - 129  # biases are floats before they are integers, of 24 bits
LARGEST_BIAS = 2**30
LARGEST_FACTOR = 0.5  # so that a sum times the factor fits 32 bits
HEADROOM = 3
# of the largest channel: those that hardly ever differ from zero get no step so small that weights explode
LEAST = 1e-3
LEAST_WEIGHT_STEP = 1e-30  # of a channel without weights


class Quantiser16:
    def __init__(self, layers, ranges):
        self.layers = layers
        self.image_shift = next(
            shift for shift in range(14, -1, -1) if max(ranges[layers[0].name]["most"]) * 2**shift <= LARGEST
        )
        self.makers = {}  # by blob, the convolution that computes it together with what follows
        self.steps = self.shared_steps(
            {
                layer.name: ranges[layer.name]["most"]
                for layer in layers
                if layer.is_convolution and layer.name in ranges
            }
        )

    def shared_steps(self, most):
        """By convolution. Of a sum, the later of the two adds, and has as many channels or more."""
        added = []
        for layer in self.layers:
            makers = [self.makers[blob] for blob in layer.inputs if self.makers[blob]] if layer.kind != "Input" else []
            maker = layer if layer.is_convolution else max(makers, key=self.layers.index, default=None)
            if layer.kind == "BinaryOp":
                added.append((min(makers, key=self.layers.index).name, maker.name))
            elif not layer.is_convolution and layer.kind not in ("Input", "Split", "Pooling", "Padding", "PReLU"):
                sys.exit(f"There are no kernels in 16 bits for the layer {layer.name} ({layer.kind}).")
            self.makers.update(dict.fromkeys(layer.outputs, maker))
        for source, adding in reversed(added):
            most[source] = [max(pair) for pair in zip(most[source], most[adding])]
        for source, adding in added:
            most[adding] = [*most[source], *most[adding][len(most[source]) :]]
        return {
            name: [max(value, max(values) * LEAST) * HEADROOM / LARGEST for value in values]
            for name, values in most.items()
        }

    def run(self):
        count = sum(layer.is_convolution for layer in self.layers)
        result = [b"FI16", struct.pack("<I", count)]
        for layer in self.layers:
            if layer.is_convolution:
                result += self.convolution(layer)
            elif layer.kind == "PReLU":
                result.append(struct.pack(f"<{len(layer.slopes)}f", *layer.slopes))
        return b"".join(result)

    def convolution(self, layer):
        source, own = self.makers[layer.inputs[0]], self.steps.get(layer.name)
        steps = self.steps[source.name] if source else [2.0**-self.image_shift] * 3
        taps = layer.kernel**2
        inputs = 1 if layer.is_depthwise else layer.in_channels
        weights, biases, factors = [], [], []
        for out in range(layer.out_channels):
            scaled = [
                weight * steps[out if layer.is_depthwise else i // taps]
                for i, weight in enumerate(layer.weights[out * inputs * taps : (out + 1) * inputs * taps])
            ]
            step = self.weight_step(scaled, layer.bias[out])
            factor = step / own[out] if own else step
            if own and factor > LARGEST_FACTOR:
                sys.exit(f"Channel {out} of {layer.name} has values that are too small for its weights.")
            weights += [round(weight / step) for weight in scaled]
            biases.append(round(layer.bias[out] / step))
            factors.append(factor)
        tag = [1 if own else 2] if source else [3, self.image_shift]
        return [
            bytes(tag),
            struct.pack(f"<{len(weights)}h", *weights),
            struct.pack(f"<{len(biases)}i", *biases),
            struct.pack(f"<{len(factors)}f", *factors),
        ]

    @staticmethod
    def weight_step(weights, bias):
        total = math.fsum(map(abs, weights))  # of which every Python makes the same bits
        return max(
            max(map(abs, weights)) / LARGEST,
            abs(bias) / LARGEST_BIAS,
            LEAST_WEIGHT_STEP,
            (total * (LARGEST + 1) + abs(bias)) / (LARGEST_SUM - len(weights) * (LARGEST + 1) / 2),
        )

#!/usr/bin/env python3
"""calibrate.py NETWORK.param NETWORK.bin RESULT.json PHOTO...: measure the ranges that quantise.py needs.

Runs the network in floats on the photos, every second one scaled to a long side of at most 640, and looks for each channel's
range with which bytes are least wrong: the least squared error over 800 places of each map of each photo, and every photo's
extremes. Faces are rare pixels, so plain percentiles would cut them off. Take photos with faces of all sizes; with 40 the
outcome of a detector no longer depends on which.

A model's ranges are measured once and committed, with their source; quantise.py then makes the same bytes everywhere. Needs
numpy and opencv-python-headless. Writes the ranges to four digits.
"""

import json
import pathlib
import sys

import cv2
import numpy

sys.dont_write_bytecode = True  # leave no files in the checkout

from ncnn_graph import read_graph  # noqa: E402

LONG_SIDE = 640
MULTIPLE = 32
SAMPLES = 800  # of each map of each photo
LEVELS = 127
FACTORS = numpy.linspace(0.3, 1, 29)  # of the extremes that are tried for a range's ends


def convolve(layer, rows):
    """[height][width][channel], zeros around."""
    channels, kernel, stride = layer.out_channels, layer.kernel, layer.integer(3, 1)
    weights = numpy.array(layer.weights, numpy.float32)
    if kernel > 1:
        rows = numpy.pad(rows, ((1, 1), (1, 1), (0, 0)))
    height, width = (rows.shape[0] - kernel) // stride + 1, (rows.shape[1] - kernel) // stride + 1
    result = numpy.zeros((height, width, channels), numpy.float32) + numpy.array(layer.bias, numpy.float32)
    for y in range(kernel):
        for x in range(kernel):
            part = rows[y:y + (height - 1) * stride + 1:stride, x:x + (width - 1) * stride + 1:stride]
            if layer.is_depthwise:
                result += part * weights.reshape(channels, kernel, kernel)[:, y, x]
            else:
                result += part @ weights.reshape(channels, -1, kernel, kernel)[:, :, y, x].T
    return numpy.maximum(result, 0) if layer.has_relu else result


def run(layers, image):
    """{layer: map} of convolutions and sums."""
    maps, blobs = {}, {}
    for layer in layers:
        rows = blobs.get(layer.inputs[0]) if layer.inputs else image
        if layer.is_convolution:
            rows = maps[layer.name] = convolve(layer, rows)
        elif layer.kind == "BinaryOp":
            rows = maps[layer.name] = rows + blobs[layer.inputs[1]]
        elif layer.kind == "Pooling":
            rows = rows.reshape(rows.shape[0] // 2, 2, rows.shape[1] // 2, 2, -1).max((1, 3))
        elif layer.kind == "Interp":
            rows = rows.repeat(2, 0).repeat(2, 1)
        blobs.update(dict.fromkeys(layer.outputs, rows))
    return maps


def padded(path, number):
    image = cv2.imread(str(path))
    scale = LONG_SIDE / max(image.shape[:2])
    if number % 2 == 1 and scale < 1:
        image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    height, width = (-size % MULTIPLE for size in image.shape[:2])
    return numpy.pad(image, ((0, height), (0, width), (0, 0))).astype(numpy.float32)


def best_ranges(samples, extremes, is_signed):
    """By channel, the ends with the least squared error of the bytes."""
    samples = numpy.concatenate([samples[::max(1, len(samples) // 8000)], extremes])
    low = numpy.minimum(extremes.min(0), 0) if is_signed else numpy.zeros(samples.shape[1])
    high = numpy.maximum(extremes.max(0), 1e-3)

    def errors(low, high):
        step = (high - low) / LEVELS
        zero = numpy.round(-low / step)
        values = (numpy.clip(numpy.round(samples / step) + zero, 0, LEVELS) - zero) * step
        return ((values - samples) ** 2).mean(0)

    least, best_low, best_high = errors(low, high), low.copy(), high.copy()
    for end in ("high", "low") * 2 if is_signed else ("high",):
        for factor in FACTORS:
            tried = (low * factor, best_high) if end == "low" else (best_low, high * factor)
            error = errors(*tried)
            better = error < least
            least = numpy.where(better, error, least)
            best_low, best_high = numpy.where(better, tried[0], best_low), numpy.where(better, tried[1], best_high)
    return best_low, best_high


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    layers = read_graph(*sys.argv[1:3])
    used = {blob for layer in layers for blob in layer.inputs}
    wanted = [layer for layer in layers if layer.is_convolution and layer.outputs[0] in used or layer.kind == "BinaryOp"]
    samples, extremes = ({layer.name: [] for layer in wanted} for _ in range(2))
    random = numpy.random.default_rng(1)
    for number, path in enumerate(sys.argv[4:]):
        maps = run(layers, padded(path, number))
        for layer in wanted:
            values = maps[layer.name].reshape(-1, maps[layer.name].shape[-1]).astype(numpy.float64)
            samples[layer.name].append(values[random.choice(len(values), min(SAMPLES, len(values)), replace=False)])
            extremes[layer.name].append(numpy.stack([values.min(0), values.max(0)]))
    ranges = {}
    for layer in wanted:
        is_signed = layer.is_convolution and not layer.has_relu
        low, high = best_ranges(numpy.concatenate(samples[layer.name]), numpy.concatenate(extremes[layer.name]), is_signed)
        ends = {"low": low, "high": high} if is_signed else {"high": high}
        ranges[layer.name] = {end: [float(f"{value:.4g}") for value in values] for end, values in ends.items()}
    lines = ",\n".join(f"    {json.dumps(name)}: {json.dumps(ends)}" for name, ends in ranges.items())
    pathlib.Path(sys.argv[3]).write_text(
        f'{{\n  "photos": {len(sys.argv) - 4},\n  "source": "",\n  "layers": {{\n{lines}\n  }}\n}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""calibrate.py NETWORK.param NETWORK.bin RESULT.json PHOTO...: measure the ranges that quantise.py needs.

Runs the network in floats on the photos, every second one scaled to a long side of at most 640, and looks for each channel's
range with which bytes are least wrong: the least squared error over 800 places of each map of each photo, and every photo's
extremes. Faces are rare pixels, so plain percentiles would cut them off. Take photos with faces of all sizes; with 40 the
outcome of a detector no longer depends on which.

With --bits 16, which keep more of the extremes than photos show, looks only for the largest absolute value of each channel, and
of the network's input.

A model's ranges are measured once and committed, with their source; quantise.py then makes the same bytes everywhere. Needs
numpy, opencv-python-headless and ncnn, as Python packages. Writes the ranges to four digits.
"""

import argparse
import json
import pathlib
import sys

import cv2
import ncnn
import numpy

sys.dont_write_bytecode = True  # leave no files in the checkout

from ncnn_graph import fused_blob, is_signed, read_graph  # noqa: E402

LONG_SIDE = 640
MULTIPLE = 32
SAMPLES = 800  # of each map of each photo
LEVELS = 127
FACTORS = numpy.linspace(0.3, 1, 29)  # of the extremes that are tried for a range's ends


def run(network, blob_in, image, blobs):
    """The values of each blob, [place][channel]."""
    extractor = network.create_extractor()
    extractor.set_light_mode(False)  # keep all blobs
    pixels = numpy.ascontiguousarray(image.transpose(2, 0, 1))  # which is not copied
    extractor.input(blob_in, ncnn.Mat(pixels))
    for blob in blobs:
        values = numpy.array(extractor.extract(blob)[1])
        yield blob, values.reshape(len(values), -1).T


def load(param, binary):
    network = ncnn.Net()
    network.opt.num_threads = 1
    network.opt.use_fp16_packed = network.opt.use_fp16_storage = network.opt.use_fp16_arithmetic = False
    network.opt.use_bf16_packed = network.opt.use_bf16_storage = False
    if network.load_param(param) != 0 or network.load_model(binary) != 0:
        sys.exit(f"ncnn does not load {param} and {binary}.")
    return network


def padded(path, number, is_rgb, factor):
    image = cv2.imread(str(path))
    if is_rgb:
        image = image[:, :, ::-1]
    scale = LONG_SIDE / max(image.shape[:2])
    if number % 2 == 1 and scale < 1:
        image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    height, width = (-size % MULTIPLE for size in image.shape[:2])
    return numpy.pad(image, ((0, height), (0, width), (0, 0))).astype(numpy.float32) * factor


def best_ranges(samples, extremes, has_sign):
    """By channel, the ends with the least squared error of the bytes."""
    samples = numpy.concatenate([samples[:: max(1, len(samples) // 8000)], extremes]).astype(numpy.float32)
    low = numpy.minimum(extremes.min(0), 0) if has_sign else numpy.zeros(samples.shape[1])
    high = numpy.maximum(extremes.max(0), 1e-3)

    def errors(low, high):
        step = ((high - low) / LEVELS).astype(numpy.float32)
        zero = numpy.round(-low / step).astype(numpy.float32)
        values = (numpy.clip(numpy.round(samples / step) + zero, 0, LEVELS) - zero) * step
        return ((values - samples) ** 2).mean(0)

    least, best_low, best_high = errors(low, high), low.copy(), high.copy()
    for end in ("high", "low") * 2 if has_sign else ("high",):
        for factor in FACTORS:
            tried = (low * factor, best_high) if end == "low" else (best_low, high * factor)
            error = errors(*tried)
            better = error < least
            least = numpy.where(better, error, least)
            best_low, best_high = numpy.where(better, tried[0], best_low), numpy.where(better, tried[1], best_high)
    return best_low, best_high


def byte_ranges(layers, photos, results):
    """For bytes: the ends of each channel's range."""
    used = {blob for layer in layers for blob in layer.inputs}
    wanted = [
        layer for layer in layers if layer.is_convolution and layer.outputs[0] in used or layer.kind == "BinaryOp"
    ]
    samples, extremes = ({layer.name: [] for layer in wanted} for _ in range(2))
    names = {layer.outputs[0]: layer.name for layer in wanted}
    random = numpy.random.default_rng(1)
    for photo in photos:
        for blob, values in results(photo, names):
            samples[names[blob]].append(values[random.choice(len(values), min(SAMPLES, len(values)), replace=False)])
            extremes[names[blob]].append(numpy.stack([values.min(0), values.max(0)]))
    for layer in wanted:
        has_sign = is_signed(layers, layer)
        low, high = best_ranges(
            numpy.concatenate(samples[layer.name]), numpy.concatenate(extremes[layer.name]), has_sign
        )
        yield layer.name, {"low": low, "high": high} if has_sign else {"high": high}


def largest_values(layers, photos, results):
    """For 16 bits: the largest absolute value of each channel of what the kernels store."""
    names = {fused_blob(layers, layer): layer.name for layer in layers if layer.is_convolution or layer.kind == "Input"}
    names.pop(None, None)
    most = {}
    for photo in photos:
        for blob, values in results(photo, names):
            most[blob] = numpy.maximum(most.get(blob, 0), abs(values).max(0))
    for blob, name in names.items():
        yield name, {"most": most[blob]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("param", "bin", "result"):
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("photos", nargs="+")
    parser.add_argument("--rgb", action="store_true", help="the network's first channel is red, not blue")
    parser.add_argument("--input", default="in0", help="the network's input blob")
    parser.add_argument("--scale", type=float, default=1, help="what the network's pixels are multiplied by")
    parser.add_argument("--bits", type=int, choices=(8, 16), default=8)
    options = parser.parse_args()
    layers = read_graph(options.param, options.bin)
    network = load(str(options.param), str(options.bin))
    photos = (padded(path, number, options.rgb, options.scale) for number, path in enumerate(options.photos))
    measured = (byte_ranges if options.bits == 8 else largest_values)(
        layers, photos, lambda photo, blobs: run(network, options.input, photo, blobs)
    )
    ranges = {
        name: {end: [float(f"{value:.4g}") for value in values] for end, values in ends.items()}
        for name, ends in measured
    }
    lines = ",\n".join(f"    {json.dumps(name)}: {json.dumps(ends)}" for name, ends in ranges.items())
    options.result.write_text(
        f'{{\n  "photos": {len(options.photos)},\n  "source": "",\n  "layers": {{\n{lines}\n  }}\n}}\n',
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()

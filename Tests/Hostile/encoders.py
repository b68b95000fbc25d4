"""Pictures of noise, which cost a decoder most, by ffmpeg's encoders."""

import random
import subprocess


class MissingEncoder(Exception):
    """ffmpeg, or one of its encoders, is not installed."""


def noise(count, seed=1):
    """Bytes of a generator that gives the same ones everywhere."""
    return random.Random(seed).randbytes(count)


def encode(width, height, *options):
    """A picture of noise, as ffmpeg encodes it with `options`."""
    command = ["ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-i", "-",
               "-frames:v", "1", "-threads", "1", *options, "-"]
    try:
        made = subprocess.run(command, input=noise(3 * width * height), stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
    except FileNotFoundError as error:
        raise MissingEncoder("ffmpeg") from error
    except subprocess.CalledProcessError as error:
        raise MissingEncoder(error.stderr.decode(errors="replace").strip().splitlines()[0]) from error
    return made.stdout

#!/usr/bin/env python3
"""soak.py MODEL PHOTO [FRAMES]: so many frames (10,000) of a test picture, and of a photo with its face drawn, through the element in
mode newest, thousands a second. Its memory at the end is that after the first tenth, within 4 MB."""

import re
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

ALLOWED = 4096  # KB
# Frames after which all networks have run and all buffers are there.
WARM = 20


def anonymous_memory():
    with open("/proc/self/status") as status:
        return int(re.search(r"^RssAnon:\s+(\d+)", status.read(), re.MULTILINE)[1])


def soak(name, line, frames):
    pipeline = Gst.parse_launch(line)
    element, bus = pipeline.get_by_name("element"), pipeline.get_bus()
    pipeline.set_state(Gst.State.PLAYING)
    first, messages = None, 0
    while True:
        # The bus is read, or it would be the messages that are counted.
        message = bus.timed_pop(50 * Gst.MSECOND)
        if message is not None:
            if message.type == Gst.MessageType.ERROR:
                raise SystemExit(f"soak: FAILED: {name}: {message.parse_error()}")
            if message.type == Gst.MessageType.EOS:
                break
            messages += message.type == Gst.MessageType.ELEMENT
        if first is None and (message is None or messages % 100 == 0):
            stats = element.get_property("stats")
            if stats.get_value("passed") >= frames // 10 and stats.get_value("searched") >= WARM:
                first = anonymous_memory()
    last, stats = anonymous_memory(), element.get_property("stats")
    passed, searched = stats.get_value("passed"), stats.get_value("searched")
    pipeline.set_state(Gst.State.NULL)
    if first is None or passed != frames or searched == 0:
        raise SystemExit(f"soak: FAILED: {name}: {passed} frames were passed on, {searched} searched")
    if last - first > ALLOWED:
        raise SystemExit(f"soak: FAILED: {name}: memory grew from {first} KB to {last} KB in {passed} frames")
    print(f"soak: {name}: ok: {passed} frames, {searched} searched, {first} KB, at the end {last} KB", flush=True)


def main():
    Gst.init(None)
    model, photo = sys.argv[1:3]
    frames = int(sys.argv[3]) if len(sys.argv) > 3 else 10_000
    element = f"faceengine name=element model={model}"
    soak(
        "test picture",
        f"videotestsrc num-buffers={frames} ! video/x-raw,format=NV12,width=320,height=240 ! {element} ! fakesink",
        frames,
    )
    soak(
        "photo",
        f"filesrc location={photo} ! jpegdec ! videoconvert ! videoscale ! video/x-raw,format=NV12,width=256,height=300 ! "
        f"imagefreeze num-buffers={frames} ! identity sleep-time=500 ! {element} draw=true landmarks=true ! fakesink",
        frames,
    )


main()

#!/usr/bin/env python3
"""caller.py PHOTO: calls the engine of the default socket until a line comes on standard input: searches, and frames of a session,
each over a connection that stays. Prints a line for each answer, then how many there were of each kind and the longest time between
two. An answer that is an error, or has other faces than the first, is printed and ends it with status 1."""

import os
import sys
import threading
import time

import faceengine

photo = open(sys.argv[1], "rb").read()
ended = threading.Event()
counts = {"calls": 0, "frames": 0}
longest = {"calls": 0.0, "frames": 0.0}


def until_ended(kind, work):
    def run():
        try:
            before = None
            for answer in work():
                now = time.monotonic()
                longest[kind], before = max(longest[kind], now - (before or now)), now
                counts[kind] += 1
                print(kind, flush=True)
                if answer:
                    raise ValueError(answer)
        except Exception as error:
            print(f"{kind} {counts[kind]}: {error!r}", flush=True)
            os._exit(1)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def calls():
    with faceengine.connect() as engine:
        first = engine.detect(photo)[0].box
        while not ended.is_set():
            faces = engine.detect(photo)
            yield None if [face.box for face in faces] == [first] else faces


def frames():
    pictures = iter(lambda: None if ended.is_set() else photo, None)
    with faceengine.connect() as engine, engine.session(pictures, mode="every", min_hits=1) as session:
        for event in session:
            if not isinstance(event, faceengine.FaceLeft):  # another engine gives other ids
                yield None if isinstance(event, faceengine.FrameFaces) and len(event.faces) == 1 else event


threads = [until_ended("calls", calls), until_ended("frames", frames)]
sys.stdin.readline()
ended.set()
for thread in threads:
    thread.join()
print(*(f"{number} {kind}, {longest[kind]:.2f} s at most" for kind, number in counts.items()), sep="; ")

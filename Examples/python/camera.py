#!/usr/bin/env python3
"""Follows the faces of a camera, or of a video file, with OpenCV.

    camera.py [NUMBER|VIDEO] [--save MARKED.avi]

With a camera a new frame replaces the one that waits, so that faces are never late; of a file each frame is searched.
"""

import argparse

import cv2
import faceengine


def frames_of(capture):
    while True:
        read, frame = capture.read()
        if not read:
            return
        yield frame


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", nargs="?", default="0")
    parser.add_argument("--save")
    options = parser.parse_args()
    camera = options.source.isdigit()
    capture = cv2.VideoCapture(int(options.source) if camera else options.source)
    if not capture.isOpened():
        parser.error(f"there is no camera or video {options.source}")
    writer, kept, people = None, {}, set()
    with faceengine.load() as engine, engine.session(mode="newest" if camera else "every", pose=True) as session:
        for frame in frames_of(capture):
            kept[session.submit(frame, format="bgr")] = frame  # OpenCV's order of channels
            # The event of this frame or of an earlier one; a camera's frames that were dropped have theirs, too.
            while (event := session.next_event(timeout=None if len(kept) >= 4 else 0)) is not None:
                marked = finish(event, kept, people)
                if marked is not None:
                    writer = show(marked, options.save, writer)
        session.flush()
        while (event := session.next_event(timeout=0)) is not None:
            marked = finish(event, kept, people)
            if marked is not None:
                writer = show(marked, options.save, writer)
    if writer is not None:
        writer.release()
    print(f"{len(people)} people")


def finish(event, kept, people):
    """The event's frame with its faces marked; None for other events."""
    if isinstance(event, faceengine.FaceLeft):
        print(f"face {event.face_id} left")
        return None
    frame = kept.pop(event.number)
    if isinstance(event, faceengine.FrameFailed):
        print(event.error)
    if not isinstance(event, faceengine.FrameFaces):
        return None
    people.update(face.id for face in event.faces if face.id is not None)  # a face may have no id in its first frames
    with faceengine.draw.Picture(frame, in_place=True, format="bgr") as picture:
        picture.faces(
            event.faces, marks=faceengine.draw.BOXES | faceengine.draw.IDS | faceengine.draw.ANGLES, font="@cairo:"
        )
    return frame


def show(frame, path, writer):
    if path is None:
        cv2.imshow("faces", frame)
        if cv2.waitKey(1) == 27:  # Escape
            raise SystemExit
        return None
    if writer is None:
        writer = cv2.VideoWriter(path, cv2.VideoWriter_fourcc(*"MJPG"), 25, (frame.shape[1], frame.shape[0]))
    writer.write(frame)
    return writer


if __name__ == "__main__":
    main()

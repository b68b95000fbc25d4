#!/usr/bin/python3
"""check.py SOCKET PHOTO PIXELS: makes each kind of call with Examples/python/face_client.py.

PIXELS is the photo as a PPM file. Prints a line for each thing that held, and for each that this engine does not offer;
stops at the first that did not hold.
"""

import contextlib
import os
import pathlib
import sys
import types

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "Examples/python"))
from face_client import Buffer, Connection, EngineError, fe

FEATURES = ["cancel", "ping", "credit", "buffers", "goaway"]


def expect(holds, what):
    if not holds:
        sys.exit(f"failed: {what}")


def refused(code, sentence, call, *arguments, **options):
    try:
        call(*arguments, **options)
    except EngineError as error:
        expect(error.code == code and sentence in error.message, f"expected {code} with {sentence!r}, got {error}")
    else:
        sys.exit(f"failed: expected {code}, got an answer")


@contextlib.contextmanager
def together(engine):
    """Sends the frames of a block at its end, in one piece."""
    real, frames = engine._socket, []
    engine._socket = types.SimpleNamespace(sendall=frames.append)
    try:
        yield
    finally:
        engine._socket = real
    real.sendall(b"".join(frames))


def check_plain_calls(path, photo):
    with Connection(path) as engine:
        expected = engine.detect(fe.Image(encoded=photo))
        expect(len(expected.faces) == 1 and expected.faces[0].confidence > 0.9, f"one face, got {expected}")
        expect(not engine.detect(fe.Image(encoded=photo), min_confidence=0.99).faces, "options are followed")
        print("ok: Detect finds the face and follows its options")

        refused("INVALID_ARGUMENT", "does not begin like a JPEG", engine.detect, fe.Image(encoded=b"not a picture"))
        refused("INVALID_ARGUMENT", "image", engine.call, "Detector", "Detect", fe.DetectRequest(), fe.DetectResponse())
        refused(
            "NOT_FOUND",
            "no.Such",
            engine.call,
            "Health",
            "Check",
            fe.HealthCheckRequest(service="no.Such"),
            fe.HealthCheckResponse(),
        )
        refused("UNAVAILABLE", "start it", Connection, path + ".none")
        print("ok: a call that fails says its code and what to do")
        try:
            engine.detect(fe.Image(encoded=photo, orientation=9))
        except EngineError as error:
            expect(
                [(detail.type_url, detail.value) for detail in error.details]
                == [("type.googleapis.com/google.rpc.BadRequest", b"\x0a\x13\x0a\x11image.orientation")],
                f"the details name the field, got {error.details}",
            )
        print("ok: and which field is wrong")

        request = fe.DetectRequest(image=fe.Image(encoded=photo))
        streams = [engine.begin("Detector", "Detect", request) for _ in range(4)]
        for stream in reversed(streams):
            expect(engine.finish(stream, fe.DetectResponse()) == expected, "overlapping calls get their own answers")
        print("ok: calls overlap and their answers are taken in any order")
    return expected


def check_ping(engine, **_):
    engine.ping(b"12345678")


def check_cancel(engine, photo, expected, **_):
    dot = fe.Image(pixels=fe.Pixels(format=fe.PIXEL_FORMAT_GRAY, width=16, height=16, data=bytes(256)))
    # In one piece, which the engine reads at once: it knows of the CANCEL before any worker can answer.
    with together(engine):
        stream = engine.begin("Detector", "Detect", fe.DetectRequest(image=dot))
        engine.cancel(stream)
    refused("CANCELLED", "cancelled", engine.finish, stream, fe.DetectResponse())
    engine.cancel(stream)  # has no effect, since it was answered long ago
    expect(engine.detect(fe.Image(encoded=photo)) == expected, "the connection serves on after a cancel")


def check_buffers(engine, photo, expected, size, pixels, **_):
    width, height = size
    buffer = Buffer(engine, 7, len(pixels) + len(photo))
    buffer.memory[: len(pixels)] = pixels
    buffer.memory[len(pixels) :] = photo
    raw = engine.detect(buffer.pixels(width, height))
    expect(len(raw.faces) == 1 and abs(raw.faces[0].box.x - expected.faces[0].box.x) < 1, "shared pixels give the face")
    expect(engine.detect(buffer.encoded(len(photo), offset=len(pixels))) == expected, "a shared file gives the face")
    refused("INVALID_ARGUMENT", "", engine.detect, buffer.pixels(width, height, offset=len(photo) + 1))
    refused("INVALID_ARGUMENT", "", engine.detect, buffer.encoded(2, offset=2**64 - 1))
    refused("ALREADY_EXISTS", "", Buffer, engine, 7, 4096)
    buffer.take_back()
    refused("NOT_FOUND", "", engine.detect, fe.Image(shared_encoded=fe.SharedBytes(buffer=7, size=16)))


def check_watch(engine, photo, expected, **_):
    watch = engine.watch()
    for id in range(1, 11):
        watch.send(fe.Image(encoded=photo), id)
    watch.send(fe.Image(encoded=b"not a picture"), 11)
    watch.close()
    answers = list(watch)
    expect([answer.id for answer in answers] == list(range(1, 12)), "each frame is answered once, in order")
    outcomes = [answer.WhichOneof("outcome") for answer in answers]
    # Every frame but the last may have been dropped, on a busy machine also the first one.
    expect(set(outcomes[:-1]) <= {"result", "dropped"} and outcomes[-1] == "failure", f"outcomes: {outcomes}")
    expect(answers[-1].failure.code == 3 and "JPEG" in answers[-1].failure.message, "a failure says what to do")
    dropped = [answer.dropped.total for answer in answers if answer.WhichOneof("outcome") == "dropped"]
    expect(dropped == list(range(1, len(dropped) + 1)), f"drops are counted: {dropped}")
    expect(all(answer.result == expected for answer in answers if answer.HasField("result")), "the face is found")

    alone = engine.watch()
    alone.send(fe.Image(encoded=photo), 1)
    alone.close()
    expect([answer.result for answer in alone] == [expected], "a frame that nothing overtakes is searched")


def check_credit(engine, photo, expected, **_):
    watch = engine.watch(mode=fe.WatchStart.EVERY)
    for id in range(1, 11):
        watch.send(fe.Image(encoded=photo), id)  # waits for credit
    watch.close()
    answers = list(watch)
    expect([answer.id for answer in answers] == list(range(1, 11)), "each frame is answered, in order")
    expect(all(answer.result == expected for answer in answers), "no frame is dropped")


def check_cancelled_watch(engine, photo, **_):
    watch = engine.watch()
    watch.send(fe.Image(encoded=photo), 1)
    engine.cancel(watch.stream)
    refused("CANCELLED", "", list, watch)


def words_of(answers):
    """The events of guided checks except drawing: states, tips in lower case, codes."""
    for event in (event for answer in answers for event in answer.check.events):
        kind = event.WhichOneof("kind")
        if kind == "status":
            yield fe.CheckState.Name(event.status).removeprefix("CHECK_STATE_")
        elif kind == "tip":
            yield fe.Tip.Name(event.tip).removeprefix("TIP_").lower()
        elif kind != "draw":
            yield event.failed.code if kind == "failed" else kind


def check_guided_check(engine, photo, **_):
    options = fe.CheckOptions(mask=fe.Circle(x=268, y=227, radius=160), use_timestamps=True, tip_ns=0, crop_size=128)
    check = engine.watch(mode=fe.WatchStart.EVERY, check=options)
    # Two people, at ten frames a second.
    for id in range(1, 41):
        check.send(fe.Image(encoded=photo), id, timestamp_ns=id * 10**8, attempt=1 + id // 21)
    check.close()
    answers = list(check)
    words = list(words_of(answers))
    expect(words == "WAITING START hold_still CHECKING FINISH done result clear".split() * 2, f"a way twice: {words}")
    expect([answer.check.attempt for answer in answers] == [1] * 20 + [2] * 20, "the attempts are the frames'")


def main(path, photo, ppm):
    photo = pathlib.Path(photo).read_bytes()
    ppm = pathlib.Path(ppm).read_bytes()
    width, height = (int(number) for number in ppm.split(maxsplit=3)[1:3])
    pixels = ppm[-width * height * 3 :]
    before = len(os.listdir("/proc/self/fd"))
    expected = check_plain_calls(path, photo)
    with Connection(path) as engine:
        try:
            engine.hello(*FEATURES)
        except EngineError as error:
            if error.code != "UNIMPLEMENTED":
                raise
            print(f"skipped: Hello and all that needs it, since the engine says: {error}")
            return
        print("ok: Hello agrees on", *sorted(engine.features))
        refused("FAILED_PRECONDITION", "Hello", engine.hello)
        for needed, check in [
            ({"ping"}, check_ping),
            ({"cancel"}, check_cancel),
            ({"buffers"}, check_buffers),
            (set(), check_watch),
            ({"credit"}, check_credit),
            ({"cancel"}, check_cancelled_watch),
            ({"credit"}, check_guided_check),
        ]:
            name = check.__name__.removeprefix("check_")
            if needed <= engine.features:
                check(engine, photo=photo, expected=expected, size=(width, height), pixels=pixels)
                print("ok:", name)
            else:
                print(f"skipped: {name}, since the engine has no feature {' '.join(needed - engine.features)}")
    expect(len(os.listdir("/proc/self/fd")) == before, "no descriptor is left")


if __name__ == "__main__":
    main(*sys.argv[1:])

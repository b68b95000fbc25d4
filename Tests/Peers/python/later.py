#!/usr/bin/python3
"""later.py messages FOLDER: compiles face_engine.proto as a later version may have it, with one more field in every message, one more
value in every enumeration, one more kind of event and one more method.

later.py calls SOCKET PHOTO: makes calls of that version to today's engine, with those messages in PYTHONPATH."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
NUMBER, VALUE, EVENT = 1000, 99, 1001


def proto():
    """The text of the later version."""
    text = (ROOT / "Proto/face_engine.proto").read_text(encoding="utf-8")
    text = re.sub(r"^(message \w+ \{)", rf"\1\n  uint32 of_later = {NUMBER};", text, flags=re.M)
    text = re.sub(
        r"^(enum (\w+) \{\n(?:(?!\}).*\n)*)\}",
        lambda match: f"{match[1]}  {prefix(match[2])}_LATER = {VALUE};\n}}",
        text,
        flags=re.M,
    )
    text = re.sub(r"(message CheckEvent \{\n.*\n  oneof kind \{)", rf"\1\n    uint32 later = {EVENT};", text)
    return text.replace(
        "service Detector {", "service Detector {\n  rpc Later(DetectRequest) returns (DetectResponse);"
    )


def prefix(enumeration):
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", enumeration).upper()


def compile_messages(folder):
    (pathlib.Path(folder) / "face_engine.proto").write_text(proto(), encoding="utf-8")
    subprocess.run(["protoc", f"--python_out={folder}", f"-I{folder}", "face_engine.proto"], check=True)
    subprocess.run(["protoc", f"--python_out={folder}", f"-I{ROOT}/Proto", "ttrpc.proto"], check=True)


def check_refusals(path, photo):
    """What today's engine does not know is refused by name, and does no harm where it is not set."""
    from check import Connection, expect, fe, refused

    image = fe.Image(encoded=photo)
    unknown = "the field {} of the request; install a newer engine"
    with Connection(path) as engine:
        expect(len(engine.detect(image).faces) == 1, "a call without anything later is answered")
        refused("UNIMPLEMENTED", unknown.format(f"options.{NUMBER}"), engine.detect, image, of_later=1)
        refused("UNIMPLEMENTED", unknown.format(f"image.{NUMBER}"), engine.detect, fe.Image(encoded=photo, of_later=1))
        box = fe.Box(x=1, y=1, width=99, height=99, of_later=1)
        refused(
            "UNIMPLEMENTED",
            unknown.format(f"image.region.{NUMBER}"),
            engine.detect,
            fe.Image(encoded=photo, region=box),
        )
        for request in (fe.DetectRequest(image=image, of_later=1), fe.DetectBatchRequest(images=[image], of_later=1)):
            method = type(request).__name__.removesuffix("Request")
            refused(
                "UNIMPLEMENTED", unknown.format(NUMBER), engine.call, "Detector", method, request, fe.DetectResponse()
            )
        refused("INVALID_ARGUMENT", "options.rotations is 99", engine.detect, image, rotations=VALUE)
        refused(
            "INVALID_ARGUMENT", "image.orientation is 99", engine.detect, fe.Image(encoded=photo, orientation=VALUE)
        )
        refused(
            "UNIMPLEMENTED",
            "Later",
            engine.call,
            "Detector",
            "Later",
            fe.DetectRequest(image=image),
            fe.DetectResponse(),
        )
        print("ok: calls")

        batch = fe.DetectBatchRequest(images=[image, fe.Image(encoded=photo, of_later=1)])
        results = engine.call("Detector", "DetectBatch", batch, fe.DetectBatchResponse()).results
        expect(
            len(results[0].result.faces) == 1 and results[1].failure.code == 12,
            f"one image of two is refused: {results}",
        )
        print("ok: a batch")

        for start, named in (
            (dict(of_later=1), "options"),
            (dict(tracking=fe.Tracking(of_later=1)), "tracking"),
            (dict(check=fe.CheckOptions(of_later=1)), "check"),
            (dict(check=fe.CheckOptions(space=fe.Space(of_later=1))), "check.space"),
        ):
            refused("UNIMPLEMENTED", unknown.format(f"{named}.{NUMBER}"), list, engine.watch(**start))
        watch = engine.watch()
        watch.send(image, 1, of_later=1)
        refused("UNIMPLEMENTED", unknown.format(f"frame.{NUMBER}"), list, watch)
        watch = engine.watch()
        watch.send(fe.Image(encoded=photo, of_later=1), 1)
        watch.close()
        expect(
            [answer.failure.code for answer in watch] == [12], "a frame of a later image fails, and its stream does not"
        )
        print("ok: streams")

        hello = fe.HelloRequest(
            min_protocol_version=1, max_protocol_version=2, features=["ping", "teleport"], of_later=1
        )
        answer = engine.call("Session", "Hello", hello, fe.HelloResponse())
        expect(
            (answer.protocol_version, list(answer.features)) == (1, ["ping"]),
            f"Hello finds what both know, got {answer}",
        )
        engine.call("Health", "Check", fe.HealthCheckRequest(of_later=1), fe.HealthCheckResponse())
        for name in ("Info", "Stats", "ListModels"):
            refused(
                "UNIMPLEMENTED",
                unknown.format(NUMBER),
                engine.call,
                "Admin",
                name,
                getattr(fe, f"{name}Request")(of_later=1),
                getattr(fe, f"{name}Response")(),
            )
        print("ok: Hello, Health and Admin")


def main(action, *arguments):
    if action == "messages":
        compile_messages(*arguments)
    else:
        check_refusals(arguments[0], pathlib.Path(arguments[1]).read_bytes())


if __name__ == "__main__":
    main(*sys.argv[1:])

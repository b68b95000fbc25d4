#!/usr/bin/python3
"""other_engine.py later|older SOCKET ENGINE: an engine of another version at SOCKET, made of today's at ENGINE, until its input ends.

The later one says more than today's clients know: a field in every message of an answer, numbers of enumerations, events. The older
one lacks the options and outputs in LACKING, refuses a request that has one of them, and does not describe them. Messages of later.py are in PYTHONPATH."""

import contextlib
import pathlib
import socket
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "Examples/python"))
import face_engine_pb2 as fe  # noqa: E402
import ttrpc_pb2 as ttrpc  # noqa: E402
from face_client import DATA, HEADER, NO_DATA, REQUEST, RESPONSE  # noqa: E402
from google.protobuf import descriptor_pb2  # noqa: E402
from later import VALUE  # noqa: E402

LACKING = {"options": ["model_revision", "gaze"], "tracking": ["reidentify"]}
ANSWERS = {
    "Detect": fe.DetectResponse,
    "DetectBatch": fe.DetectBatchResponse,
    "Watch": fe.WatchResponse,
    "Check": fe.WatchResponse,
    "Hello": fe.HelloResponse,
    "Info": fe.InfoResponse,
    "Stats": fe.StatsResponse,
    "ListModels": fe.ListModelsResponse,
    "Describe": fe.DescribeResponse,
}


def with_more(message):
    """Adds to a message, and to those in it, what a later version says."""
    message.of_later = 7
    if isinstance(message, fe.HelloResponse):
        message.features.append("teleport")
    if isinstance(message, fe.CheckReport) and message.events:
        message.tip = VALUE
        message.events.add(later=1)
        message.events.add(tip=VALUE)
        message.events.add(status=VALUE)
    for field, value in message.ListFields():
        for part in value if field.label == field.LABEL_REPEATED else [value]:
            if field.message_type:
                with_more(part)


def refusal(request):
    """The failure of an older engine for a request; None for one that it understands."""
    start = request.start if isinstance(request, fe.WatchRequest) else request
    for part, names in LACKING.items():
        if part in start.DESCRIPTOR.fields_by_name and start.HasField(part):
            options = getattr(start, part)
            for field, _ in options.ListFields():
                if field.name in names:
                    return unknown(f"{part}.{field.number}")
    return None


def without_lacking(described):
    """The messages of an engine without the options that are lacking."""
    files = descriptor_pb2.FileDescriptorSet.FromString(described)
    for message in files.file[0].message_type:
        if message.name == "DetectOptions":
            known = [field for field in message.field if field.name not in LACKING["options"]]
            del message.field[:]
            message.field.extend(known)
    return files.SerializeToString()


def unknown(path):
    failure = ttrpc.Response()
    failure.status.code, failure.status.message = 12, f"this older engine knows no {path}"
    detail = failure.status.details.add(type_url="type.googleapis.com/google.rpc.BadRequest")
    name = b"\x0a" + bytes([len(path)]) + path.encode()
    detail.value = b"\x0a" + bytes([len(name)]) + name
    return failure.SerializeToString()


class Relay:
    """A connection of a client, and one to the engine."""

    def __init__(self, client, engine, is_later):
        self.client, self.engine, self.is_later = client, engine, is_later
        self.methods, self.refused = {}, set()

    def run(self):
        threading.Thread(target=self.pump, args=(self.client, self.engine, self.requested), daemon=True).start()
        threading.Thread(target=self.pump, args=(self.engine, self.client, self.answered), daemon=True).start()

    @staticmethod
    def pump(source, target, change):
        reader = source.makefile("rb")
        with contextlib.suppress(OSError):  # one side has closed it
            while len(head := reader.read(HEADER.size)) == HEADER.size:
                length, stream, kind, flags = HEADER.unpack(head)
                body = change(stream, kind, flags, reader.read(length))
                if body is not None:
                    target.sendall(HEADER.pack(len(body), stream, kind, flags) + body)
            target.shutdown(socket.SHUT_WR)

    def requested(self, stream, kind, flags, body):
        request = None
        if kind == REQUEST:
            envelope = ttrpc.Request.FromString(body)
            self.methods[stream] = envelope.method
            if envelope.method == "Detect":
                request = fe.DetectRequest.FromString(envelope.payload)
        elif kind == DATA and not flags & NO_DATA:
            request = fe.WatchRequest.FromString(body)
        if stream in self.refused:
            return None
        failure = None if self.is_later or request is None else refusal(request)
        if failure is None:
            return body
        self.refused.add(stream)
        self.client.sendall(HEADER.pack(len(failure), stream, RESPONSE, 0) + failure)
        return None

    def answered(self, stream, kind, flags, body):
        method = self.methods.get(stream)
        message = ANSWERS.get(method)
        if (
            message is None
            or kind not in (RESPONSE, DATA)
            or flags & NO_DATA
            or not (self.is_later or method in ("Hello", "Describe"))
        ):
            return body
        if kind == DATA:
            return self.changed(message, body)
        envelope = ttrpc.Response.FromString(body)
        if envelope.payload:
            envelope.payload = self.changed(message, envelope.payload)
        return envelope.SerializeToString()

    def changed(self, kind, payload):
        message = kind.FromString(payload)
        if isinstance(message, fe.HelloResponse):
            message.features.remove("buffers")  # descriptors are not passed on
        if self.is_later:
            with_more(message)
        elif isinstance(message, fe.DescribeResponse):
            message.file_descriptor_set = without_lacking(message.file_descriptor_set)
        return message.SerializeToString()


def main(version, path, engine):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(16)
    threading.Thread(target=accept, args=(listener, engine, version == "later"), daemon=True).start()
    print("ready", flush=True)
    sys.stdin.read()


def accept(listener, engine, is_later):
    while True:
        client, _ = listener.accept()
        served = socket.socket(socket.AF_UNIX)
        served.connect(engine)
        Relay(client, served, is_later).run()


if __name__ == "__main__":
    main(*sys.argv[1:])

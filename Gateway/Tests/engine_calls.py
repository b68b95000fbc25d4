"""Requests of faceengine.v1 that tests send over gRPC."""

import face_engine_pb2 as messages
from support import PHOTO

# The client does not stop messages beyond the engine's limit.
UNLIMITED = [("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1)]
OWN_CONNECTION = [("grpc.use_local_subchannel_pool", 1)]


def image_of(file=PHOTO):
    return messages.Image(encoded=file)


def request_of(file=PHOTO, **options):
    return messages.DetectRequest(image=image_of(file), options=messages.DetectOptions(**options) if options else None)


def start(mode=messages.WatchStart.EVERY, **others):
    return messages.WatchRequest(start=messages.WatchStart(mode=mode, **others))


def frame(number, file=PHOTO):
    return messages.WatchRequest(
        frame=messages.WatchFrame(id=number, timestamp_ns=number * 10**8, image=image_of(file))
    )

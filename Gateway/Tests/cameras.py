"""Simulated cameras: each sends a JPEG twice a second on a Watch of its own connection, and begins another one when that is
lost, with the frame that was not answered. For each answer it writes a line of JSON to standard output.

    python cameras.py ADDRESS --authority front --ca ca.pem --first 0 --count 50 PHOTO

Ends with SIGTERM.
"""

import argparse
import asyncio
import json
import pathlib
import signal
import sys
import time

import grpc

import face_engine_pb2 as messages
import face_engine_pb2_grpc as services

PERIOD = 0.5
# A request without an answer for this long is repeated: a machine that lost its power sends no notice. The time doubles until an
# answer comes, since repeated requests add work to machines that may only be busy.
PATIENCE = 0.4
MOST_PATIENCE = 6.4
PAUSE = 0.02


class Camera:
    def __init__(self, number, arguments, photo):
        self.number = number
        self.photo = photo
        authority = arguments.ca.read_bytes()
        self.channel = grpc.aio.secure_channel(
            arguments.address, grpc.ssl_channel_credentials(authority),
            # Each camera has its own connection, and reconnects soon.
            options=[("grpc.use_local_subchannel_pool", 1), ("grpc.ssl_target_name_override", arguments.authority),
                     ("grpc.initial_reconnect_backoff_ms", 50), ("grpc.min_reconnect_backoff_ms", 50),
                     ("grpc.max_reconnect_backoff_ms", 200)])
        self.frame = 1
        self.patience = PATIENCE

    async def run(self):
        # The cameras do not start at the same moment.
        await asyncio.sleep(PERIOD * (self.number % 50) / 50)
        while True:
            try:
                await self.watch()
            except (grpc.aio.AioRpcError, asyncio.TimeoutError) as error:
                if isinstance(error, asyncio.TimeoutError):
                    self.patience = min(2 * self.patience, MOST_PATIENCE)
                code = error.code().name if isinstance(error, grpc.aio.AioRpcError) else type(error).__name__
                self.say(lost=code, detail=error.details() if isinstance(error, grpc.aio.AioRpcError) else "")
                await asyncio.sleep(PAUSE)

    async def watch(self):
        stream = services.DetectorStub(self.channel).Watch()
        try:
            # Faces as near as these need no more, and one machine has to do the work of three.
            options = messages.DetectOptions(max_side=320)
            await stream.write(messages.WatchRequest(
                start=messages.WatchStart(mode=messages.WatchStart.NEWEST, options=options)))
            while True:
                due = time.monotonic() + PERIOD
                image = messages.Image(encoded=self.photo)
                await stream.write(messages.WatchRequest(frame=messages.WatchFrame(id=self.frame, image=image)))
                answer = await asyncio.wait_for(stream.read(), self.patience)
                if answer is grpc.aio.EOF:
                    return await self.lost(stream)
                self.say(frame=answer.id, outcome=answer.WhichOneof("outcome"), faces=len(answer.result.faces))
                self.frame = answer.id + 1
                self.patience = PATIENCE
                await asyncio.sleep(due - time.monotonic())
        except asyncio.InvalidStateError:
            # It ended while the camera slept.
            await self.lost(stream)
        finally:
            stream.cancel()

    async def lost(self, stream):
        self.say(lost=(await stream.code()).name, detail=await stream.details())
        await asyncio.sleep(PAUSE)

    def say(self, **what):
        print(json.dumps({"camera": self.number, "time": time.monotonic(), **what}), flush=True)


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("address")
    parser.add_argument("--authority", required=True, help="the name in the certificate")
    parser.add_argument("--ca", type=pathlib.Path, required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("photo", type=pathlib.Path)
    arguments = parser.parse_args()
    photo = arguments.photo.read_bytes()
    cameras = [Camera(number, arguments, photo)
               for number in range(arguments.first, arguments.first + arguments.count)]
    tasks = [asyncio.create_task(camera.run()) for camera in cameras]
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
    await asyncio.wait([asyncio.create_task(stopped.wait()), *tasks], return_when=asyncio.FIRST_COMPLETED)
    # This is repeated, since a wait that ends at that moment forgets that it was cancelled.
    while pending := [task for task in tasks if not task.done()]:
        for task in pending:
            task.cancel()
        await asyncio.wait(pending, timeout=0.2)
    for task in tasks:
        if not task.cancelled():
            print(repr(task.exception()), file=sys.stderr)
            sys.exit(1)


if __name__ == "__main__":
    asyncio.run(main())

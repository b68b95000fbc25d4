"""faceengine.v1 through the gateway, with Python's grpcio and stubs of our .proto.

gRPC's interop tests (grpc/doc/interop-test-descriptions.md) need a service of their own. Their cases, and what covers them here:

empty_unary                                     test_every_service_serves
large_unary                                     test_messages_of_four_mebibytes_and_more_are_taken, test_large_pictures.py
client_streaming                                test_every_frame_of_a_stream_is_answered_in_order
server_streaming                                test_a_watch_outlives_the_engine
ping_pong                                       test_frames_are_answered_while_the_stream_is_open
empty_stream                                    test_a_stream_without_frames_ends
cancel_after_begin, cancel_after_first_response test_a_cancelled_stream_ends_in_the_engine
timeout_on_sleeping_server                      test_a_deadline_that_has_passed_ends_the_call
status_code_and_message, special_status_message test_status_and_details_come_through
unimplemented_method, unimplemented_service     test_unknown_methods_and_closed_services_are_refused
custom_metadata (none comes back)               test_unknown_metadata_is_ignored
client_compressed_unary, -_streaming            test_compressed_messages_are_taken, GzipTests
goaway, max streams                             test_calls_that_have_begun_are_answered_when_the_gateway_stops,
                                                test_sixty_four_streams_at_a_time
TLS                                             TLSTests
"""

import concurrent.futures
import gzip
import io
import os
import re
import signal
import socket
import struct
import threading
import zlib

import grpc
from tritonclient.grpc import service_pb2, service_pb2_grpc

import face_engine_pb2 as messages
import face_engine_pb2_grpc as services
from engine_calls import UNLIMITED, frame, image_of, request_of, start
from http2 import HEALTH_CHECK, PING, RST_STREAM, Client, rpc
from support import PATIENCE, PHOTO, Gateway, GatewayCase, failure, metrics, sample, until


def quota(error):
    """The limit that an error names for programs."""
    details = dict(error.trailing_metadata())["grpc-status-details-bin"]
    assert b"google.rpc.QuotaFailure" in details, details
    return details


class DetectorTests(GatewayCase):
    def setUp(self):
        self.open = self.channel(UNLIMITED)
        self.detector = services.DetectorStub(self.open)

    def test_finds_the_face_of_a_photo(self):
        answer = self.detector.Detect(request_of())
        self.assertEqual((answer.width, answer.height, len(answer.faces)), (512, 600, 1))
        self.assertGreater(answer.faces[0].confidence, 0.8)

    def test_a_batch_has_a_result_for_each_image(self):
        answer = self.detector.DetectBatch(
            messages.DetectBatchRequest(images=[image_of(), messages.Image(encoded=b"?")])
        )
        self.assertEqual(len(answer.results[0].result.faces), 1)
        self.assertEqual(answer.results[1].failure.code, grpc.StatusCode.INVALID_ARGUMENT.value[0])

    def test_status_and_details_come_through(self):
        error = failure(grpc.StatusCode.INVALID_ARGUMENT, self.detector.Detect, messages.DetectRequest())
        self.assertIn("image", error.details())
        details = dict(error.trailing_metadata())["grpc-status-details-bin"]
        self.assertIn(b"google.rpc.BadRequest", details)

    def test_no_boxes_are_a_list_if_it_is_said_so(self):
        for options, count in [
            ({}, 1),
            ({"boxes_given": False}, 1),
            ({"boxes_given": True}, 0),
            ({"boxes_given": True, "boxes": [messages.Box(x=180, y=110, width=180, height=220)]}, 1),
        ]:
            self.assertEqual(len(self.detector.Detect(request_of(pose=True, **options)).faces), count)

    def test_unknown_metadata_is_ignored(self):
        answer = self.detector.Detect(
            request_of(),
            metadata=[
                ("x-camera", "7"),
                ("x-camera", "8"),
                ("x-binary-bin", bytes(range(256))),
                ("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
            ],
        )
        self.assertEqual(len(answer.faces), 1)

    def test_unknown_methods_and_closed_services_are_refused(self):
        for path, code, word in [
            ("Detector/Recognise", "UNIMPLEMENTED", "Detect"),
            ("Nobody/Call", "UNIMPLEMENTED", ""),
            ("Admin/Stats", "PERMISSION_DENIED", ""),
            ("Session/Hello", "UNIMPLEMENTED", ""),
        ]:
            error = failure(grpc.StatusCode[code], self.open.unary_unary(f"/faceengine.v1.{path}"), b"")
            self.assertIn(word, error.details())

    def test_a_deadline_that_has_passed_ends_the_call(self):
        failure(grpc.StatusCode.DEADLINE_EXCEEDED, self.detector.Detect, request_of(), timeout=0.000_001)

    def test_a_failure_whose_text_is_long_is_cut(self):
        ready = service_pb2_grpc.GRPCInferenceServiceStub(self.open).ModelReady
        for name in ("x" * 70_000, "\N{LATIN SMALL LETTER U WITH DIAERESIS}" * 35_000):
            with self.subTest(name[0]):
                details = failure(grpc.StatusCode.NOT_FOUND, ready, service_pb2.ModelReadyRequest(name=name)).details()
                self.assertTrue(name[:900] in details and details.endswith(" and so on"), details)
                self.assertLess(len(details), 2100)

    def test_messages_of_four_mebibytes_and_more_are_taken(self):
        # A file may have anything after its end. The message around it takes less than 256 bytes.
        for more in ((4 << 20) - len(PHOTO) - 256, 4 << 20):
            self.assertEqual(len(self.detector.Detect(request_of(PHOTO + bytes(more))).faces), 1)

    def test_a_much_larger_message_is_refused_and_the_gateway_goes_on(self):
        error = failure(grpc.StatusCode.RESOURCE_EXHAUSTED, self.detector.Detect, request_of(bytes(64 << 20)))
        self.assertIn("--max-body", error.details())
        self.assertIn(b"max_body", quota(error))
        self.assertEqual(len(self.detector.Detect(request_of()).faces), 1)

    def test_compressed_messages_are_taken(self):
        # A file may have anything after its end; gRPC's library compresses what becomes smaller.
        padded = messages.Image(encoded=PHOTO + bytes(100_000))
        with grpc.insecure_channel(self.gateway.grpc, compression=grpc.Compression.Gzip) as channel:
            detector = services.DetectorStub(channel)
            trace = "00-0af7651916cd43dd8448eb211c80319d-b7ad6b7169203332-01"
            answer = detector.Detect(
                messages.DetectRequest(image=padded), timeout=PATIENCE, metadata=[("traceparent", trace)]
            )
            self.assertEqual(len(answer.faces), 1)
            self.assertLess(self.gateway.calls(1, traceparent=trace)[0]["received_bytes"], len(PHOTO) + 50_000)
            frames = [
                messages.WatchRequest(frame=messages.WatchFrame(id=number, timestamp_ns=number * 10**8, image=padded))
                for number in range(1, 21)
            ]
            answers = list(detector.Watch(iter([start()] + frames), timeout=PATIENCE))
            self.assertEqual([answer.id for answer in answers], list(range(1, 21)))
            self.assertTrue(all(answer.WhichOneof("outcome") == "result" for answer in answers))

    def test_a_compressed_message_is_bounded_by_what_it_becomes(self):
        before = self.gateway.resident()
        with grpc.insecure_channel(self.gateway.grpc, compression=grpc.Compression.Gzip, options=UNLIMITED) as channel:
            for size in (64 << 20, 96 << 20):
                error = failure(
                    grpc.StatusCode.RESOURCE_EXHAUSTED,
                    services.DetectorStub(channel).Detect,
                    request_of(PHOTO + bytes(size)),
                )
                self.assertIn(b"max_body", quota(error))
            picture = PHOTO + bytes((4 << 20) - len(PHOTO) - 256)
            answer = services.DetectorStub(channel).Detect(request_of(picture))
            self.assertEqual(len(answer.faces), 1)
        self.assertLess(self.gateway.resident() - before, 64 << 20)

    def test_every_frame_of_a_stream_is_answered_in_order(self):
        requests = [start()] + [frame(number) for number in range(1, 41)]
        answers = list(self.detector.Watch(iter(requests), timeout=PATIENCE))
        self.assertEqual([answer.id for answer in answers], list(range(1, 41)))
        self.assertTrue(all(answer.WhichOneof("outcome") == "result" for answer in answers))

    def test_frames_are_answered_while_the_stream_is_open(self):
        sent, answers = self.begun(self.detector.Watch, start(tracking=messages.Tracking()), frame(1))
        for number in range(2, 6):
            sent.send(frame(number))
            self.assertEqual(next(answers).id, number)
        sent.close()
        self.assertEqual(list(answers), [])
        self.assertEqual(answers.code(), grpc.StatusCode.OK)

    def test_newest_answers_every_frame_and_searches_the_last(self):
        requests = [start(messages.WatchStart.NEWEST)] + [frame(number) for number in range(1, 41)]
        answers = list(self.detector.Watch(iter(requests), timeout=PATIENCE))
        self.assertEqual([answer.id for answer in answers], list(range(1, 41)))
        self.assertEqual(answers[-1].WhichOneof("outcome"), "result")

    def test_a_stream_without_frames_ends(self):
        for requests in [start()], []:
            answers = self.detector.Watch(iter(requests), timeout=PATIENCE)
            self.assertEqual((list(answers), answers.code()), ([], grpc.StatusCode.OK))

    def test_a_wrong_message_ends_a_stream(self):
        failure(
            grpc.StatusCode.INVALID_ARGUMENT, lambda **others: list(self.detector.Watch(iter([frame(1)]), **others))
        )

    def test_a_guided_check_reports(self):
        requests = [start(check=messages.CheckOptions(use_timestamps=True))] + [frame(number) for number in range(1, 6)]
        answers = list(self.detector.Check(iter(requests), timeout=PATIENCE))
        self.assertEqual(len(answers), 5)
        self.assertTrue(all(answer.HasField("check") for answer in answers))

    def test_a_cancelled_stream_ends_in_the_engine(self):
        before = self.cancelled_streams()
        _, answers = self.begun(self.detector.Watch, start(), frame(1))
        answers.cancel()
        until(lambda: self.cancelled_streams() > before, "the end of the stream in the engine")

    def cancelled_streams(self):
        """How many of this engine's ended so."""
        found = re.search(
            r'streams_ended_total\{method="faceengine\.v1\.Detector/Watch",code="CANCELLED"\} (\d+)',
            metrics(self.gateway),
        )
        return int(found[1]) if found else 0

    def test_sixty_four_streams_at_a_time(self):
        def watch(_):
            sent, answers = self.begun(self.detector.Watch, start(), frame(1))
            all_open.wait(PATIENCE)
            sent.close()
            return len(list(answers))

        all_open = threading.Barrier(64)
        with concurrent.futures.ThreadPoolExecutor(64) as pool:
            self.assertEqual(sum(pool.map(watch, range(64))), 0)

    def test_reset_connections_do_not_affect_later_calls(self):
        for _ in range(20):
            connection = socket.create_connection(self.gateway.grpc_address)
            connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0")
            # The connection is closed with a reset rather than an end.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()
        self.assertEqual(len(self.detector.Detect(request_of()).faces), 1)

    def test_keep_alive_is_answered(self):
        client = Client(self.gateway.grpc_address)
        self.addCleanup(client.close)
        for number in range(9):
            client.send((PING, 0, 0, bytes([number] * 8)))
            self.assertEqual(next(client.frames(PING)), (PING, 1, 0, bytes([number] * 8)))


class SlowClientTests(GatewayCase):
    def test_a_client_that_does_not_read_stops_its_own_frames_alone(self):
        options = UNLIMITED + [("grpc.http2.lookahead_bytes", 65536), ("grpc.http2.bdp_probe", 0)]
        landmarks, sent = messages.DetectOptions(landmarks=True, expressions=True), []

        def frames():
            yield start(options=landmarks).SerializeToString()
            for number in range(1, 2001):
                sent.append(number)
                yield frame(number).SerializeToString()

        # The raw answers are not read: the client's window fills.
        call = self.channel(options).stream_stream("/faceengine.v1.Detector/Watch")(frames(), timeout=PATIENCE)
        self.addCleanup(call.cancel)
        until(lambda: len(sent) > 4, "the first frames")
        before, quick = self.gateway.resident(), self.channel()
        for _ in range(20):
            self.assertEqual(len(self.detect(quick).faces), 1)
        self.assertLess(len(sent), 2000)
        self.assertLess(self.gateway.resident() - before, 32 << 20)


class PausedEngineTests(GatewayCase):
    """An engine that answers no call for a while."""

    owns_engine = True

    def pause(self):
        os.kill(self.engine.process.pid, signal.SIGSTOP)
        self.addCleanup(os.kill, self.engine.process.pid, signal.SIGCONT)

    def test_a_call_that_waits_for_the_engine_ends_at_its_deadline(self):
        self.pause()
        gateway = Gateway(self.engine.path)
        # These are hand-made frames, since a library would end the call itself.
        for path, code in ((HEALTH_CHECK, "OK"), (b"/faceengine.v1.Health/Check", "DEADLINE_EXCEEDED")):
            with self.subTest(path), socket.create_connection(gateway.grpc_address, timeout=PATIENCE) as client:
                client.sendall(rpc(path, (b"grpc-timeout", b"300m")))
                # Health is NOT_SERVING.
                self.assertEqual(gateway.calls(1, call=path[1:].decode())[0]["code"], code)
        gateway.stop(signal.SIGKILL)

    def test_calls_that_are_cancelled_before_the_engine_has_them_leave_nothing(self):
        gateway = self.enterContext(Gateway(self.engine.path))
        # So that the gateway knows the engine's services.
        self.detect(self.channel(gateway=gateway))
        self.pause()
        # More than the engine takes at a time.
        for _ in range(3):
            client = Client(gateway.grpc_address)
            self.addCleanup(client.close)
            streams = [client.rpc(b"/faceengine.v1.Detector/Detect", b"") for _ in range(100)]
            client.send(*((RST_STREAM, 0, stream, struct.pack(">I", 8)) for stream in streams))
        gateway.calls(300, code="CANCELLED")
        os.kill(self.engine.process.pid, signal.SIGCONT)
        until(lambda: sample(gateway, "face_gateway_unread_bytes") == 0, "no unread bytes")


class GzipTests(GatewayCase):
    """Compressed messages that no library sends."""

    EMPTY = gzip.compress(b"")
    # The health of a service that there is not, in two members.
    TWO = gzip.compress(b"\x0a\x07") + gzip.compress(b"nothing")

    def code(self, body, encoding=b"gzip", flag=1):
        """The code of a Health/Check with one message."""
        seen = len(self.gateway.lines)
        with socket.create_connection(self.gateway.grpc_address, timeout=PATIENCE) as client:
            client.sendall(
                rpc(HEALTH_CHECK, *([(b"grpc-encoding", encoding)] if encoding else []), message=body, flag=flag)
            )
            line = self.gateway.calls(seen + 1)[seen]
        if line["code"] != "UNIMPLEMENTED":
            self.assertEqual(line["received_bytes"], 5 + len(body))
        return line["code"]

    def test_whole_members_alone_are_inflated(self):
        with io.BytesIO() as named:
            with gzip.GzipFile("a name", "wb", fileobj=named) as file:
                file.write(b"\x0a\x07nothing")
            body = named.getvalue()
        whole = gzip.compress(b"\x0a\x07nothing")
        right = {
            self.EMPTY: "OK",
            self.EMPTY * 3: "OK",
            **dict.fromkeys((whole, self.TWO, self.EMPTY + self.TWO, body), "NOT_FOUND"),
        }
        wrong = {
            "nothing": b"",
            "no gzip": b"nothing at all",
            "bytes behind it": whole + b"more",
            "zeros behind it": whole + bytes(8),
            "a checksum": whole[:-8] + bytes([whole[-8] ^ 1]) + whole[-7:],
            "a length": whole[:-1] + b"\1",
            "zlib's format": zlib.compress(b"\x0a\x07nothing"),
            "a third of the second": self.TWO[: len(self.TWO) - 12],
        }
        wrong |= {f"the first {size} bytes": whole[:size] for size in range(1, len(whole))}
        for body, code in {**right, **dict.fromkeys(wrong.values(), "INVALID_ARGUMENT")}.items():
            with self.subTest(body):
                self.assertEqual(self.code(body), code)

    def test_the_headers_say_whether_a_message_may_be_compressed(self):
        for body, encoding, flag, code in [
            (b"", b"gzip", 0, "OK"),
            (self.EMPTY, None, 1, "INTERNAL"),
            (self.EMPTY, b"identity", 1, "INTERNAL"),
            (self.EMPTY, b"gzip", 2, "INTERNAL"),
            (self.EMPTY, b"deflate", 1, "UNIMPLEMENTED"),
        ]:
            self.assertEqual(self.code(body, encoding, flag), code)


class DrainTests(GatewayCase):
    def test_calls_that_have_begun_are_answered_when_the_gateway_stops(self):
        gateway = Gateway(self.engine.path)
        detector = services.DetectorStub(self.channel(gateway=gateway))
        request = request_of(accuracy=messages.ACCURACY_HIGH)
        calls = [detector.Detect.future(request, timeout=PATIENCE) for _ in range(4)]
        _, answers = self.begun(detector.Watch, start(), frame(1))
        os.kill(gateway.process.pid, signal.SIGTERM)
        self.assertEqual([len(call.result().faces) for call in calls], [1] * 4)
        # What the client may have sent since is not answered.
        self.assertIn(
            "open the stream again", failure(grpc.StatusCode.UNAVAILABLE, lambda timeout: list(answers)).details()
        )
        self.assertEqual(gateway.stop(), 0)

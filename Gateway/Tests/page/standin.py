"""Serves the page's part of the gateway's HTTP, by the Python package over an engine's socket: for work on the page where the
gateway is not built.

    standin.py --socket SOCKET [--port 8080]
"""

import argparse
import io
import json
import os
import pathlib
import secrets
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import faceengine
from PIL import Image

PAGE = pathlib.Path(__file__).resolve().parents[2] / "Page"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
    "media-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
OUTPUTS = {"landmarks": ["landmarks"], "pose": ["pose"], "quality": ["quality"], "expressions": ["expressions", "eyes", "mouth"]}
NAMES = {"quality": "overall", "frontality": "pose"}
STATUS = {"INVALID_ARGUMENT": 400, "NOT_FOUND": 404, "UNAVAILABLE": 503, "DEADLINE_EXCEEDED": 504, "RESOURCE_EXHAUSTED": 429}


def camel(name):
    first, *rest = name.lower().split("_")
    return first + "".join(word.capitalize() for word in rest)


def numbers(values):
    return [float(value) for value in values]


def face_json(face):
    out = {}
    if getattr(face, "id", None):
        out["id"] = face.id
    out["box"] = dict(zip(("x", "y", "width", "height"), numbers(face.box)))
    out["confidence"] = float(face.confidence)
    if face.points:
        out["points"] = {camel(name): numbers(point) for name, point in face.points._asdict().items()}
    if face.landmarks is not None:
        out["regions"] = {
            camel(region.name): [numbers(point[:2]) for point in face.region(region)] for region in faceengine.Region}
        out["depth"] = numbers(face.landmarks[:, 2])
    for name in ("pose", "quality"):
        if getattr(face, name) is not None:
            out[name] = {NAMES.get(key, key): float(value) for key, value in getattr(face, name)._asdict().items()}
    if face.mouth is not None:
        out.update(smile=float(face.mouth.smile), mouthOpen=float(face.mouth.open))
    if face.eyes is not None:
        out["eyesOpen"] = {"left": float(face.eyes[0]), "right": float(face.eyes[1])}
    if face.expressions is not None:
        out["blendshapes"] = dict(zip(faceengine.expression_names(), numbers(face.expressions)))
    return out


def detection_options(given):
    options = {}
    for name, value in given.items():
        if name in OUTPUTS:
            if str(value).lower() in ("true", "1", ""):
                options.update({output: True for output in OUTPUTS[name]})
        elif name == "accuracy":
            options[name] = value
        elif name in ("max-faces",):
            options["max_faces"] = int(value)
        elif name == "min-confidence":
            options["min_confidence"] = float(value)
        else:
            raise faceengine.InvalidArgumentError(f"there is no option {name}")
    return options


class Session:
    def __init__(self, server, kind, options):
        self.kind, self.options, self.lock = kind, dict(options), threading.Lock()
        self.server, self.session, self.size, self.pictures, self.used = server, None, None, {}, time.monotonic()
        self.state, self.tip, self.frames = "waiting", ("prompt", ""), 0

    def open(self, size):
        self.size = size
        if self.kind == "track":
            self.session = self.server.engine().session(mode="every", **detection_options(self.options))
            return
        options = dict(self.options)
        circle, actions = options.pop("circle", None), options.pop("actions", [])
        checks = {}
        if circle:
            checks["mask"] = (circle["x"] * size[0], circle["y"] * size[1], circle["radius"] * min(size))
        if actions:
            checks["actions"] = [action.replace("-", "_") for action in actions]
        for name, value in options.items():
            key = {"shuffle": "shuffle_actions"}.get(name, name.replace("-", "_"))
            checks[key] = value
        checks["use_timestamps"] = True
        self.session = self.server.engine().guided_check(search={"mode": "every"}, **checks)

    def frame(self, body, timestamp):
        image = Image.open(io.BytesIO(body))
        if self.session is not None and image.size != self.size:
            self.session.close()
            self.session = None
        if self.session is None:
            self.open(image.size)
        self.frames += 1
        self.session.submit(body, timestamp_ns=timestamp or time.monotonic_ns())
        self.session.flush(5)
        answer = {"schemaVersion": 1, "frame": self.frames, "timestamp": timestamp, "dropped": 0,
                  "width": image.width, "height": image.height, "faces": []}
        left, events = [], []
        while (event := self.session.next_event(0)) is not None:
            if isinstance(event, faceengine.FrameFaces):
                answer["faces"] = [face_json(face) for face in event.faces]
            elif isinstance(event, faceengine.FrameFailed):
                raise event.error
            elif isinstance(event, faceengine.FaceLeft):
                left.append(event.face_id)
            elif isinstance(event, faceengine.CheckUpdate):
                events.append(self.update(answer, event))
        if left:
            answer["left"] = left
        if self.kind == "check":
            answer.update(state=self.state, tip=self.tip[0], text=self.tip[1], events=events)
            answer.setdefault("progress", 0.0)
        return answer

    def update(self, answer, event):
        self.state, self.tip = event.state.name.lower(), (event.tip.name.lower(), event.text)
        circle = dict(zip(("x", "y", "radius"), numbers(event.circle)))
        answer.update(progress=float(event.progress), circle=circle, actions=event.action_count, actionsDone=event.actions_done)
        kind = event.event.name.lower()
        out = {"event": kind}
        if kind == "status":
            out["state"] = self.state
        elif kind == "tip":
            out.update(tip=self.tip[0], text=self.tip[1])
        elif kind == "draw":
            out.update(circle=circle, progress=float(event.progress))
        elif kind == "result":
            out.update(width=event.picture.shape[1], height=event.picture.shape[0],
                       cropBox=dict(zip(("x", "y", "width", "height"), numbers(event.crop_box))),
                       face=face_json(event.faces[0]))
            for name in ("picture", "crop"):
                file = io.BytesIO()
                Image.fromarray(getattr(event, name)).save(file, "JPEG", quality=92)
                self.pictures[name] = file.getvalue()
                answer[name] = {"url": f"/v1/sessions/{self.id}/{name}"}
        elif kind == "failed":
            out.update(code=event.code, message=event.message)
        return out


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port, socket):
        super().__init__(("127.0.0.1", port), Handler)
        self.socket_path, self.sessions = socket, {}

    def engine(self):
        return faceengine.connect(self.socket_path)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body, kind="application/json", headers=()):
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Permissions-Policy", "camera=(self)")
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def fail(self, code, message):
        self.answer(STATUS.get(code, 500), {"error": {"code": code, "message": message}})

    def handle_one(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            self.route(body)
        except faceengine.FaceEngineError as error:
            self.fail(faceengine.Status(error.code).name, error.message)
        except (ValueError, KeyError, TypeError, OSError) as error:
            self.fail("INVALID_ARGUMENT", str(error))

    do_GET = do_POST = do_DELETE = handle_one

    def route(self, body):
        url = urllib.parse.urlsplit(self.path)
        path, query = url.path, dict(urllib.parse.parse_qsl(url.query, keep_blank_values=True))
        parts = path.strip("/").split("/")
        if self.command == "GET" and path in ("/", "/check", "/face-check.js") or parts[0] == "assets" and len(parts) == 2:
            name = {"/": "index.html", "/check": "check.html", "/face-check.js": "face-check.js"}.get(path) or parts[1]
            file = PAGE / name
            if not file.is_file() or "/" in name:
                return self.fail("NOT_FOUND", f"there is no {name}")
            return self.answer(200, file.read_bytes(), f"{TYPES[file.suffix]}; charset=utf-8", [("Cache-Control", "no-cache")])
        if path == "/healthz":
            return self.answer(200, {"status": "ok"})
        if path == "/readyz":
            self.server.engine().close()
            return self.answer(200, {"status": "ok"})
        if path == "/v1/detect" and self.command == "POST":
            start = time.monotonic()
            found = self.server.engine().detect(body, **detection_options(query))
            timing = ("Server-Timing", f"engine;dur={(time.monotonic() - start) * 1000:.2f}")
            return self.answer(200, {"schemaVersion": 1, "width": found.width, "height": found.height,
                                     "faces": [face_json(face) for face in found]}, headers=[timing])
        if parts[:2] == ["v1", "sessions"]:
            return self.sessions(parts[2:], body)
        return self.fail("NOT_FOUND", f"there is no {path}")

    def sessions(self, parts, body):
        held = self.server.sessions
        if not parts:
            asked = json.loads(body)
            self.server.engine().close()
            session = Session(self.server, asked["kind"], asked.get("options", {}))
            session.id = secrets.token_urlsafe(16)
            held[session.id] = session
            return self.answer(201, {"id": session.id, "kind": session.kind, "idle_timeout_seconds": 30})
        session = held.get(parts[0])
        if session is None:
            return self.fail("NOT_FOUND", "there is no such session")
        with session.lock:
            if parts[1:] == ["frames"]:
                start = time.monotonic()
                answer = session.frame(body, int(self.headers.get("X-Timestamp-Ns") or 0))
                timing = ("Server-Timing", f"engine;dur={(time.monotonic() - start) * 1000:.2f}")
                return self.answer(200, answer, headers=[timing])
            if parts[1:] in (["picture"], ["crop"]) and parts[1] in session.pictures:
                return self.answer(200, session.pictures[parts[1]], "image/jpeg")
            if parts[1:] == ["restart"]:
                session.pictures.clear()
                session.session and session.session.restart()
                return self.answer(204, b"")
            if self.command == "DELETE":
                del held[session.id]
                session.session and session.session.close()
                return self.answer(204, b"")
        return self.fail("NOT_FOUND", "there is no such part of a session")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--socket", required=True)
    parser.add_argument("--port", type=int, default=8080)
    arguments = parser.parse_args()
    Server(arguments.port, arguments.socket).serve_forever()

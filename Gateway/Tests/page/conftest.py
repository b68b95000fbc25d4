"""Fixtures of the page's tests: an engine, a gateway, and Chromium with a camera that shows a clip.

FACE_GATEWAY_URL       a gateway that runs already; the tests that stop its engine are then skipped
FACE_ENGINE_GATEWAY   the program (default: Gateway/.build/release/face-engine-gateway)
FACE_ENGINE_COMMAND    the command face-engine (default: .build/release/face-engine)
FACE_ENGINE_MODELS     its folder of models (default: Models)
CHROMIUM               the browser (default: chromium)
FACE_ENGINE_LONG_TESTS 1: with every size, look and language of the page
"""

import contextlib
import http.client
import json
import math
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[3]
PHOTO = ROOT / "Examples/photos/grace_hopper.jpg"
LONG = os.environ.get("FACE_ENGINE_LONG_TESTS") == "1"
LIMIT = 60  # seconds until something that is waited for counts as not coming


def skip(reason):
    print(f"\nSKIPPED: {reason}", file=sys.stderr)
    pytest.skip(reason)


def await_true(condition, what):
    """Polls until the condition is met."""
    end = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < end, f"{what} did not come true in {LIMIT} s"
        time.sleep(0.05)


def status_of(url):
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return None


class Program:
    """A program that is started, stopped and started again."""

    def __init__(self, command, log, is_ready):
        self.command, self.log, self.is_ready, self.process = command, log, is_ready, None

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([str(word) for word in self.command], stdout=log, stderr=log)

        def ready():
            assert self.process.poll() is None, self.log.read_text()
            return self.is_ready()

        await_true(ready, f"{self.command[0]} is ready")

    def stop(self, with_signal=signal.SIGTERM):
        self.process.send_signal(with_signal)
        self.process.wait(LIMIT)


@pytest.fixture(scope="session")
def engine(tmp_path_factory):
    """A running engine; None if the gateway was started elsewhere."""
    if "FACE_GATEWAY_URL" in os.environ:
        yield None
        return
    command = pathlib.Path(os.environ.get("FACE_ENGINE_COMMAND", ROOT / ".build/release/face-engine"))
    if not os.access(command, os.X_OK):
        skip(f"there is no {command}: make build, or set FACE_ENGINE_COMMAND")
    models = pathlib.Path(os.environ.get("FACE_ENGINE_MODELS", ROOT / "Models"))
    folder = tmp_path_factory.mktemp("engine")
    path = folder / "socket"
    program = Program(
        [command, "serve", "--socket", path, "--model", models / "yunet"], folder / "log",
        lambda: subprocess.run([command, "status", "--socket", path], capture_output=True).returncode == 0)
    program.path = path
    program.start()
    yield program
    if program.process.poll() is None:
        program.stop()


class OtherSite(ThreadingHTTPServer):
    """Serves `files`, {path: (type, text)}, with a policy, and keeps what is posted in `posted`."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), OtherSiteRequest)
        self.files, self.policy, self.posted = {}, "", {}
        self.origin = f"http://127.0.0.1:{self.server_address[1]}"


class OtherSiteRequest(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, status, kind="text/plain", text=""):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Security-Policy", self.server.policy)
        self.end_headers()
        self.wfile.write(text.encode())

    def do_GET(self):
        self.answer(*((200, *self.server.files[self.path]) if self.path in self.server.files else (404,)))

    def do_POST(self):
        self.server.posted[self.path] = self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(204)


@pytest.fixture(scope="session")
def other_site():
    """A site of another origin, whose pages may call the gateway."""
    with OtherSite() as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        yield site
        site.shutdown()


@pytest.fixture(scope="session")
def gateway(engine, other_site, tmp_path_factory):
    """The URL of a gateway."""
    if engine is None:
        yield os.environ["FACE_GATEWAY_URL"].rstrip("/")
        return
    command = pathlib.Path(os.environ.get("FACE_ENGINE_GATEWAY", ROOT / "Gateway/.build/release/face-engine-gateway"))
    if not os.access(command, os.X_OK):
        skip(f"there is no {command}: make gateway, or set FACE_ENGINE_GATEWAY")
    log = tmp_path_factory.mktemp("gateway") / "log"

    def url():
        listens = re.search(r"http listens at (\S+)", log.read_text())
        return listens and f"http://{listens[1]}"
    program = Program(
        [command, "--socket", engine.path, "--http", "127.0.0.1:0", "--no-grpc", "--page", ROOT / "Gateway/Page",
         "--allow-origin", other_site.origin],
        log, lambda: url() and status_of(f"{url()}/readyz") == 200)
    program.start()
    yield url()
    program.stop()


class TokenGateway(ThreadingHTTPServer):
    """The gateway behind a token, as with --token-file: files of the page need none, POST /v1/sessions answers with a token for the
    session's own paths. Keeps the calls as (method, path, token) in `calls`."""

    daemon_threads = True

    def __init__(self, gateway):
        super().__init__(("127.0.0.1", 0), TokenGatewayRequest)
        self.gateway = urllib.parse.urlsplit(gateway)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.token, self.session_tokens, self.calls = "the-long-token-of-this-test", {}, []

    def admits(self, path, token):
        if not path.startswith("/v1/"):
            return True
        session = path.split("/")[3] if path.startswith("/v1/sessions/") else None
        return token == self.token or (session is not None and token == self.session_tokens.get(session))

    def called(self, method, suffix):
        """The tokens of such calls."""
        return [token for made, path, token in self.calls if made == method and path.endswith(suffix)]


class TokenGatewayRequest(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, headers, body=b""):
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        if "Origin" in self.headers:
            self.send_header("Access-Control-Allow-Origin", self.headers["Origin"])
        self.end_headers()
        self.wfile.write(body)

    def do_OPTIONS(self):
        self.answer(204, {"Access-Control-Allow-Methods": "GET, POST, DELETE",
                          "Access-Control-Allow-Headers": "authorization, content-type, x-timestamp-ns"})

    def forward(self):
        server = self.server
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path = self.path.split("?")[0]
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        server.calls.append((self.command, path, token))
        if not server.admits(path, token):
            text = json.dumps({"error": {"code": "UNAUTHENTICATED", "message": "the call has no valid token"}}).encode()
            return self.answer(401, {"Content-Type": "application/json", "WWW-Authenticate": "Bearer"}, text)
        headers = {name: value for name, value in self.headers.items() if name.lower() in ("content-type", "x-timestamp-ns")}
        connection = http.client.HTTPConnection(server.gateway.hostname, server.gateway.port, timeout=LIMIT)
        connection.request(self.command, self.path, body, headers)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        if self.command == "POST" and path == "/v1/sessions" and answer.status == 201:
            session = json.loads(text)
            session["token"] = server.session_tokens[session["id"]] = f"of-{session['id']}"
            text = json.dumps(session).encode()
        kept = ("content-type", "content-security-policy", "server-timing", "cache-control")
        self.answer(answer.status, {name: value for name, value in answer.getheaders() if name.lower() in kept}, text)

    do_GET = do_POST = do_DELETE = forward


@pytest.fixture
def token_gateway(gateway):
    with TokenGateway(gateway) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


# ---- Clips for the browser's camera

def clip(path, frames):
    """A clip of Motion JPEG: the files of its frames one after the other."""
    with path.open("wb") as file:
        for frame in frames:
            frame.save(file, "JPEG", quality=92)
    return path


@pytest.fixture(scope="session")
def person(tmp_path_factory):
    """A clip of the photo, in the middle of a room."""
    from PIL import Image, ImageFilter

    with Image.open(PHOTO) as photo:
        room = photo.resize((128, 150)).crop((0, 0, 128, 72)).filter(ImageFilter.GaussianBlur(14)).resize((1280, 720))
        room.paste(photo.resize((768, 900)), (238, 0))
    return clip(tmp_path_factory.mktemp("person") / "clip.mjpeg", [room] * 30)


@pytest.fixture(scope="session")
def people(tmp_path_factory):
    """A clip of two people who move."""
    from PIL import Image

    with Image.open(PHOTO) as one, Image.open(PHOTO.with_name("astronaut.png")) as other:
        left, right = one.resize((461, 540)), other.convert("RGB").resize((540, 540))
    frames = []
    for step in range(120):
        frame = Image.new("RGB", (960, 540), (120, 140, 160))
        turn = math.sin(2 * math.pi * step / 120)
        frame.paste(left, (round(20 * turn), 0))
        frame.paste(right.crop((20, 0, 520, 540)), (460 + round(20 * turn), round(20 - 20 * turn)))
        frames.append(frame)
    return clip(tmp_path_factory.mktemp("people") / "clip.mjpeg", frames)


# ---- The browser

@pytest.fixture(scope="session")
def playwright():
    with sync_playwright() as running:
        yield running


# Records violations of the policy, the number of frames under way, and their size.
WATCH = """
window.violations = [];
document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
  violations.push(`${violatedDirective} ${blockedURI}`));
window.pictureTypes = [];
window.frames_ = { now: 0, most: 0, sent: 0, wide: 0, taken: 0 };
const post = Worker.prototype.postMessage;
Worker.prototype.postMessage = function (...message) {
  frames_.taken++;
  return post.apply(this, message);
};
// Called with the URL and the text of each answer to a picture: the page gets what they return, when they return it.
window.answering = [];
window.XMLHttpRequest = class extends XMLHttpRequest {
  open(method, url) {
    this.url = String(url);
    super.open(method, url);
  }
  send(body) {
    pictureTypes.push(body.type);
    this.isFrame = this.url.endsWith("/frames");
    if (this.isFrame) {
      createImageBitmap(body).then(({ width }) => (frames_.wide = Math.max(frames_.wide, width)));
      frames_.most = Math.max(frames_.most, ++frames_.now);
    }
    super.send(body);
  }
  set onloadend(then) {
    super.onloadend = async () => {
      if (this.isFrame) frames_.now--;
      if (this.isFrame && this.status) frames_.sent++;
      this.text = super.response;
      for (const answer of answering) this.text = await answer(this.url, this.text);
      then();
    };
  }
  get response() {
    return this.text;
  }
};
"""


@pytest.fixture(scope="session")
def browsers(playwright):
    """Gives the browser that was started with some switches, which all tests share that need these."""
    with contextlib.ExitStack() as stack:
        running = {}

        def browser(program, *switches):
            if switches not in running:
                running[switches] = playwright.chromium.launch(executable_path=program, args=switches)
                stack.callback(running[switches].close)
            return running[switches]
        yield browser


class Pages:
    def __init__(self, browsers, url, stack):
        self.browsers, self.url, self.stack, self.pages = browsers, url, stack, []

    def open(self, path="/", clip=None, allowed=True, size=(1280, 900), cameras=0, script="", **context):
        """Opens a page of a visitor whom the browser does not know, of the gateway or of a whole URL. Its camera shows `clip`; without
        one there are `cameras`, which show no person. `allowed`: whether they may be used. `script` runs before the page's own."""
        program = shutil.which(os.environ.get("CHROMIUM", "chromium"))
        if program is None:
            skip("chromium is not installed: Tools/setup/packages.sh test")
        switches = []
        if os.geteuid() == 0:
            switches.append("--no-sandbox")  # root cannot use the sandbox
        if clip:
            switches += ["--use-fake-device-for-media-stream", f"--use-file-for-fake-video-capture={clip}"]
        if cameras:
            switches.append(f"--use-fake-device-for-media-stream=device-count={cameras}")
        switches.append("--use-fake-ui-for-media-stream" if allowed else "--deny-permission-prompts")
        made = self.browsers(program, *switches).new_context(viewport={"width": size[0], "height": size[1]}, **context)
        self.stack.callback(made.close)
        page = made.new_page()
        page.set_default_timeout(LIMIT * 1000)
        page.errors = []
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.add_init_script(WATCH + script)
        page.goto(path if "://" in path else self.url + path)
        self.pages.append(page)
        return page


@pytest.fixture
def browse(browsers, gateway):
    """Opens pages. Fails if one threw, or did what its Content-Security-Policy does not allow."""
    with contextlib.ExitStack() as stack:
        pages = Pages(browsers, gateway, stack)
        yield pages.open
        for page in pages.pages:
            assert page.errors == []
            assert page.evaluate("window.violations ?? []") == getattr(page, "expected_violations", [])


@pytest.fixture
def stoppable_engine(engine):
    """The engine, running again afterwards."""
    if engine is None:
        skip("the engine is not this test's own: leave FACE_GATEWAY_URL out")
    yield engine
    if engine.process.poll() is not None:
        engine.start()

"""Fixtures of the page's tests: an engine, a gateway, and Chromium with a camera that shows a clip.

CHROMIUM               the browser (default: chromium)
FACE_ENGINE_LONG_TESTS 1: with every size, look and language of the page
"""

import contextlib
import math
import os
import pathlib
import shutil
import socket
import sys
import threading
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import expect, sync_playwright

sys.path += [str(pathlib.Path(__file__).resolve().parents[depth] / name) for depth, name in ((1, "."), (3, "Tests"))]
from durations import PytestTimes  # noqa: E402
from support import LONG, PATIENCE, ROOT, Engine, Gateway, until  # noqa: E402, F401

PHOTO = ROOT / "Examples/photos/grace_hopper.jpg"


def pytest_configure(config):
    expect.set_options(timeout=PATIENCE * 1000)
    config.pluginmanager.register(PytestTimes("page/"))


def status_of(url):
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return None


class StoppableEngine:
    """An engine that is started, stopped and started again at the same path."""

    def __init__(self, folder):
        self.folder = folder
        self.start()

    def start(self):
        self.running = Engine(self.folder, "--model", str(ROOT / "Models/yunet"))
        self.path, self.process = self.running.path, self.running.process

    def stop(self):
        self.running.stop()


@pytest.fixture(scope="session")
def engine(tmp_path_factory):
    running = StoppableEngine(tmp_path_factory.mktemp("engine"))
    yield running
    running.stop()


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


def start_gateway(engine, *flags):
    running = Gateway(engine.path, "--no-grpc", "--page", ROOT / "Gateway/Page", *flags)
    running.url = f"http://{running.http}"
    until(lambda: status_of(f"{running.url}/readyz") == 200, "the gateway's answer")
    return running


@pytest.fixture(scope="session")
def gateway(engine, other_site):
    """The URL of a gateway."""
    with start_gateway(engine, "--allow-origin", other_site.origin) as running:
        yield running.url


class TokenGateway:
    """A gateway that wants a token, which is the kiosk's. Pages of `site` may call it, too."""

    token = "the-long-token-of-this-test"

    def __init__(self, engine, other_site, folder):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.site_port = free.getsockname()[1]
        self.site = f"http://127.0.0.1:{self.site_port}"
        (folder / "tokens").write_text(f"kiosk: {self.token}\n")
        self.program = start_gateway(
            engine, "--token-file", folder / "tokens", "--allow-origin", other_site.origin, "--allow-origin", self.site
        )
        self.url = self.program.url

    def called(self, call):
        """Who made such calls: the kiosk, one of its sessions, or nobody who is known."""
        return ["session" if "session" in line else line.get("caller") for line in self.program.calls(call=call)]

    def await_called(self, call, *callers):
        until(lambda: self.called(call) == list(callers), f"{call} by {callers}")

    def await_sessions(self, *resources):
        """Each resource of a session was called, with the session's own token alone."""
        for resource in resources:
            until(lambda: set(self.called(f"{resource.replace(' ', ' /v1/sessions/ID/')}")) == {"session"}, resource)


@pytest.fixture
def token_gateway(engine, other_site, tmp_path):
    running = TokenGateway(engine, other_site, tmp_path)
    yield running
    running.program.stop()


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
            pytest.skip("SKIPPED: chromium is not installed: Tools/setup/packages.sh test")
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
        page.set_default_timeout(PATIENCE * 1000)
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
    yield engine
    if engine.process.poll() is not None:
        engine.start()

"""The page that finds faces."""

import base64
import json
import math
import re
import signal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from conftest import LONG, PHOTO, ROOT

SIZES = {
    "phone": (390, 844),
    "landscape": (844, 390),
    "small": (640, 400),
    "tablet": (820, 1180),
    "desktop": (1440, 900),
}
DEVICES = list(SIZES) if LONG else ["phone", "desktop"]
LOOKS = [("phone", "dark"), ("desktop", "light")]
if LONG:
    LOOKS = [(device, scheme) for device in SIZES for scheme in ("light", "dark")]


HEIC = ROOT / "Tests/Fixtures/images/quarters.heic"
TOUCH = {"has_touch": True, "is_mobile": True}

# Keeps each answer about a picture from the page until the test calls release().
HOLD_ANSWERS = """
  answering.push(async (url, text) => {
    if (!url.includes("/v1/detect")) return text;
    window.held = true;
    await new Promise((resolve) => (window.release = resolve));
    window.held = false;
    return text;
  });
"""

# Keeps the camera from the page until the test calls release().
HOLD_CAMERA = """
  const opened = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  navigator.mediaDevices.getUserMedia = async (wish) => {
    await new Promise((resolve) => (window.release = resolve));
    return opened(wish);
  };
"""


def count(page):
    return page.locator("#count")


def search(page, file, found):
    """Has the page search a file, and waits until it says what it has found."""
    page.set_input_files("#file", file)
    expect(count(page)).to_contain_text(found)


def found(browse, file=PHOTO, text="1 face found", **options):
    """A page that has searched a file."""
    page = browse(**options)
    search(page, file, text)
    return page


def filmed(browse, text, **options):
    """A page whose camera has found that."""
    page = browse(**options)
    page.click("#camera")
    expect(count(page)).to_contain_text(text)
    return page


def drop(page, name, kind, content):
    """Drops a file on the page, as a person does."""
    page.evaluate(
        """([name, type, content]) => {
      const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([bytes], name, { type }));
      const stage = document.getElementById("stage");
      for (const kind of ["dragenter", "dragover", "drop"])
        stage.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
    }""",
        [name, kind, base64.b64encode(content).decode()],
    )


def two_faces(folder):
    from PIL import Image

    with Image.open(PHOTO) as photo:
        both = Image.new("RGB", (photo.width * 2, photo.height))
        both.paste(photo, (0, 0))
        both.paste(photo, (photo.width, 0))
    both.save(folder / "two.jpg", quality=92)
    return folder / "two.jpg"


def twelve_faces(folder):
    """A picture of four times three people."""
    from PIL import Image

    with Image.open(PHOTO) as photo:
        head = photo.crop((90, 60, 440, 410)).resize((280, 280))
    crowd = Image.new("RGB", (1200, 900), (120, 140, 160))
    for place in range(12):
        crowd.paste(head, (place % 4 * 300 + 10, place // 4 * 300 + 10))
    crowd.save(folder / "twelve.jpg", quality=92)
    return folder / "twelve.jpg"


def pixels(page, selector="#picture"):
    """The contents of a canvas after pending drawing is done."""
    return page.evaluate(
        """(selector) => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() =>
      resolve(document.querySelector(selector).toDataURL()))))""",
        selector,
    )


def is_blank(page):
    pixels(page)
    return page.evaluate("""() => {
      const canvas = document.getElementById("picture");
      return canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.every((value) => value === 0);
    }""")


def test_a_dropped_picture_has_its_face_found(browse):
    page = browse()
    drop(page, "photo.jpg", "image/jpeg", PHOTO.read_bytes())
    expect(count(page)).to_contain_text("1 face found")
    expect(page.locator(".face")).to_have_count(1)
    expect(page.locator("#status")).to_have_text("1 face found")
    expect(page.locator("#picture")).to_have_attribute("aria-label", "Picture, 1 face found")
    expect(page.locator("#drop")).to_be_hidden()
    expect(page.locator("#engine-time")).not_to_have_text("–")
    expect(page.locator("#size")).to_have_text("512 × 600")
    expect(page.locator(".angles")).to_contain_text("°")


def test_a_camera_that_starts_is_announced(browse):
    page = browse(cameras=1, script=HOLD_CAMERA)
    page.click("#camera")
    page.wait_for_selector("#busy:not([hidden])")
    expect(page.locator("#status")).to_have_text("Starting the camera")
    page.click("#camera")
    page.wait_for_selector("#busy", state="hidden")
    expect(page.locator("#status")).to_have_text("")
    expect(count(page)).to_have_text("Faces")
    page.click("#camera")
    page.wait_for_function("() => window.release")
    page.evaluate("release()")
    expect(count(page)).to_contain_text("No face found")
    expect(page.locator("#busy")).to_be_hidden()


def copied_json(page):
    page.click("#copy")
    expect(page.locator("#copy")).to_contain_text("Copied")
    return json.loads(page.evaluate("navigator.clipboard.readText()"))


def test_json_is_read_and_copied_whole(browse):
    page = browse()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    search(page, PHOTO, "1 face found")
    page.click("#json summary")
    expect(page.locator("#json-text")).to_contain_text("478 points")
    answer = copied_json(page)
    assert answer["schemaVersion"] == 1 and (answer["width"], answer["height"]) == (512, 600)
    face = answer["faces"][0]
    assert len(face["regions"]["allPoints"]) == 478 and len(face["blendshapes"]) == 52
    assert set(face["pose"]) == {"yaw", "pitch", "roll"} and 0 < face["quality"]["overall"] <= 1


def test_each_layer_can_be_shown_and_hidden(browse):
    page = found(browse)
    boxes = page.locator("#layers input")
    for index in range(boxes.count()):
        boxes.nth(index).uncheck(force=True)
    plain = pixels(page)
    for index in range(boxes.count()):
        boxes.nth(index).check(force=True)
        assert pixels(page) != plain, boxes.nth(index).get_attribute("id")
        boxes.nth(index).uncheck(force=True)
    assert pixels(page) == plain
    page.reload()
    expect(page.locator("#layers input:checked"), "a browser remembers the switches").to_have_count(0)


def test_changing_the_accuracy_searches_again(browse):
    page = browse()
    with page.expect_request("**/v1/detect*") as first:
        page.set_input_files("#file", PHOTO)
    expect(count(page)).to_contain_text("1 face found")
    assert "accuracy=balanced" in first.value.url
    with page.expect_response("**/v1/detect*") as second:
        page.check("#accuracy input[value=low]", force=True)
    assert "accuracy=low" in second.value.url and second.value.status == 200


def test_hovering_a_face_highlights_it_and_its_numbers(browse, tmp_path):
    page = found(browse, two_faces(tmp_path), "2 faces found")
    title = page.locator("#details h3")
    expect(title).to_have_text("Face 1")
    before = pixels(page)
    page.locator(".face").nth(1).hover()
    expect(title).to_contain_text("Face 2")
    assert pixels(page) != before
    page.mouse.move(0, 0)
    expect(title).to_contain_text("Face 1")
    # The pointer is on the right face of the picture.
    area = page.locator("#picture").bounding_box()
    sides = sorted(
        (place["x"], name)
        for name in ("Face 1", "Face 2")
        for place in [
            page.evaluate(
                """(name) => {
          const row = [...document.querySelectorAll(".face")].find((one) => one.textContent.includes(name));
          row.focus();
          const [, x] = document.querySelector(".place").textContent.match(/at (\\d+)/);
          row.blur();
          return { x: Number(x) };
        }""",
                name,
            )
        ]
    )
    page.mouse.move(area["x"] + area["width"] * 0.73, area["y"] + area["height"] * 0.4)
    expect(title).to_contain_text(sides[1][1])
    page.mouse.down()
    page.mouse.up()
    page.mouse.move(0, 0)
    expect(title).to_contain_text(sides[1][1])


def test_every_control_is_reached_by_keys(browse, tmp_path):
    page = found(browse, two_faces(tmp_path), "2 faces found")
    reached = []
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate(
                "document.activeElement.id || document.activeElement.className || document.activeElement.tagName"
            )
        )
        if page.evaluate("document.activeElement === document.body"):
            break
    order = ["skip", "brand", "choose", "camera", "layer-boxes", "layer-quality", "face", "SUMMARY"]
    places = [reached.index(name) for name in order]
    assert places == sorted(places), reached
    page.locator(".face").first.focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator("#details h3")).to_contain_text("Face 2")
    page.keyboard.press("Enter")
    expect(page.locator(".face").nth(1)).to_have_attribute("aria-pressed", "true")


def test_the_camera_finds_faces_one_frame_at_a_time(browse, people):
    page = filmed(browse, "2 faces found", clip=people)
    expect(page.locator("#status")).to_contain_text("2 faces found")
    page.wait_for_function("() => frames_.sent >= 10")
    page.wait_for_function("() => Number.parseFloat(document.getElementById('rate').textContent) > 0")
    assert page.evaluate("frames_.most") == 1
    assert page.evaluate("frames_.wide") <= 1280
    expect(page.locator(".face-name").first).to_have_text(re.compile(r"^Face \d+$"))
    expect(page.locator("#camera")).to_have_attribute("aria-pressed", "true")
    page.click("#camera")
    page.wait_for_function("() => document.getElementById('video').srcObject === null")
    expect(page.locator("#camera")).to_have_attribute("aria-pressed", "false")


def test_the_next_frame_is_taken_while_one_is_searched(browse, person):
    hold = """
      answering.push(async (url, text) => {
        if (window.held) window.isHeld = true;
        await window.held;
        return text;
      });
    """
    page = filmed(browse, "1 face found", clip=person, script=hold)
    page.evaluate("() => { window.held = new Promise((resolve) => (window.release = resolve)); }")
    page.wait_for_function("() => window.isHeld")
    taken, sent = page.evaluate("""async () => {
      const video = document.getElementById("video");
      const next = () => new Promise((resolve) => video.requestVideoFrameCallback(resolve));
      const before = [frames_.taken, frames_.sent + frames_.now];
      for (let i = 0; i < 10; i++) await next();
      return [frames_.taken - before[0], frames_.sent + frames_.now - before[1]];
    }""")
    assert taken >= 1 and sent == 0
    page.evaluate("() => { release(); window.held = undefined; }")
    before = page.evaluate("frames_.sent")
    page.wait_for_function("(before) => frames_.sent > before + 3", arg=before)
    assert page.evaluate("frames_.most") == 1


@pytest.mark.parametrize("code, status", [("CANCELLED", 499), ("NOT_FOUND", 404)])
def test_the_camera_continues_in_another_session_when_its_own_is_gone(browse, person, code, status):
    page = browse(clip=person)
    answers = iter([{"status": status, "json": {"error": {"code": code, "message": "the session is gone"}}}])
    opened = []
    page.on("request", lambda request: opened.append(request.url) if request.url.endswith("/v1/sessions") else None)
    page.route(
        "**/v1/sessions/*/frames*",
        lambda route: route.fulfill(**gone) if (gone := next(answers, None)) else route.continue_(),
    )
    page.click("#camera")
    expect(count(page)).to_contain_text("1 face found")
    assert len(opened) == 2 and next(answers, None) is None
    expect(page.locator("#notice")).to_be_hidden()
    expect(page.locator("#camera")).to_have_attribute("aria-pressed", "true")


def test_frames_are_encoded_without_a_worker_where_there_is_none(browse, gateway, person):
    page = browse(clip=person)
    page.route("**/assets/frame-worker.js", lambda route, _: route.fulfill(status=404))
    page.click("#camera")
    expect(count(page)).to_contain_text("1 face found")
    page.wait_for_function("() => frames_.sent > 3")


def test_a_page_that_is_left_forgets_what_the_camera_saw(browse, people):
    page = filmed(browse, "2 faces", clip=people)
    is_drawn = (
        "picture.getContext('2d').getImageData(0, 0, picture.width, picture.height).data.some((value) => value > 0)"
    )
    page.wait_for_function(is_drawn)
    assert not page.evaluate(
        f"dispatchEvent(new PageTransitionEvent('pagehide', {{ persisted: true }})); {is_drawn}"
    ), "at once"
    expect(page.locator("#camera")).to_have_attribute("aria-pressed", "false")
    expect(page.locator("#faces canvas")).to_have_count(0)
    expect(page.locator("#welcome")).to_be_visible()


def test_a_camera_is_chosen_and_kept_for_the_tab(browse):
    page = browse(cameras=2)
    page.click("#camera")
    page.wait_for_selector("#which:not([hidden])")
    expect(page.locator("#cameras option")).to_have_count(2)
    used = "() => document.getElementById('video').srcObject?.getVideoTracks()[0].getSettings().deviceId"
    first, second = page.locator("#cameras option").evaluate_all("(options) => options.map(({ value }) => value)")
    assert page.evaluate(used) == first
    page.select_option("#cameras", second)
    page.wait_for_function(f"(second) => ({used})() === second", arg=second)
    page.reload()
    page.click("#camera")
    page.wait_for_function(f"(second) => ({used})() === second", arg=second)
    page.wait_for_function("(second) => document.getElementById('cameras').value === second", arg=second)
    # One that is not there any more is not insisted on.
    page.evaluate("sessionStorage.setItem('face-engine.camera', 'unplugged')")
    page.reload()
    page.click("#camera")
    page.wait_for_function(f"(first) => ({used})() === first", arg=first)


def test_cameras_of_a_phone_are_called_front_and_back(browse):
    page = browse()
    names = """async (devices) => {
      navigator.mediaDevices.enumerateDevices = async () => devices.map(
        ({ facing, ...device }) => ({ kind: "videoinput", getCapabilities: () => ({ facingMode: facing ? [facing] : [] }), ...device }));
      const { listCameras } = await import("/assets/cameras.js");
      const cameras = await listCameras({ front: "Front camera", back: "Back camera", other: (number) => `Camera ${number}` });
      return cameras.map(({ name }) => name);
    }"""
    assert page.evaluate(
        names,
        [
            {"deviceId": "a", "label": "camera2 1", "facing": "user"},
            {"deviceId": "b", "label": "camera2 0", "facing": "environment"},
        ],
    ) == ["Front camera", "Back camera"]
    assert page.evaluate(
        names,
        [
            {"deviceId": "a", "label": "camera2 0, facing back"},
            {"deviceId": "b", "label": "camera2 2, facing back"},
            {"deviceId": "c", "label": ""},
            {"deviceId": "", "label": ""},
        ],
    ) == ["camera2 0, facing back", "camera2 2, facing back", "Camera 3"]


def test_confidence_and_quality_are_told_apart(browse):
    page = found(browse)
    row = page.locator(".face-measures").text_content()
    assert re.fullmatch(r"Confidence \d+% · Quality \d+/100", row), row
    assert page.locator("#confidence").text_content() in row and page.locator("#overall").text_content() in row
    details = page.locator("#details").inner_text()
    assert "How sure the engine is that this is a face." in details
    assert "How well the picture shows the face." in details


@pytest.mark.parametrize("tilt", [0, 35, -40] if LONG else [35])
def test_the_box_of_a_tilted_head_is_turned_around_its_mesh(browse, tmp_path, tilt):
    from PIL import Image

    with Image.open(PHOTO) as photo:
        photo.rotate(-tilt, Image.Resampling.BICUBIC, expand=True, fillcolor=(120, 140, 160)).save(
            tmp_path / "tilted.png"
        )
    page = browse(
        script="""
      answering.push((url, text) => {
        window.answer = JSON.parse(text);
        return text;
      });
    """
    )
    search(page, tmp_path / "tilted.png", "1 face found")
    answer = page.evaluate("answer")
    face = answer["faces"][0]
    found = page.evaluate(
        """async (face) => {
      const { cornersOf, isInBox, turnedBox } = await import("/assets/turned-box.js");
      const box = turnedBox(face);
      const eyes = turnedBox({ ...face, pose: undefined, regions: undefined });
      return { box, corners: cornersOf(box), eyes, isAround: face.regions.allPoints.every((point) => isInBox(box, point)) };
    }""",
        face,
    )
    if tilt == 0:
        own = face["box"]
        assert found["box"]["turn"] == pytest.approx(0, abs=0.02)
        assert found["box"]["width"] == pytest.approx(own["width"], rel=0.02)
        return
    assert found["isAround"], "the mesh leaves its box"
    assert math.degrees(found["box"]["turn"]) == pytest.approx(face["pose"]["roll"], abs=0.1)
    assert math.degrees(found["box"]["turn"]) == pytest.approx(tilt, abs=8)
    assert math.degrees(found["eyes"]["turn"]) == pytest.approx(tilt, abs=8)
    # It is drawn there: a corner's arm has the face's colour.
    for name in ("mesh", "contours", "irises", "quality"):
        page.locator(f"#layer-{name}").uncheck(force=True)
    pixels(page)
    colours = page.evaluate(
        """async ({ corners, size }) => {
      const { Viewport } = await import("/assets/viewport.js");
      const canvas = document.getElementById("picture");
      const viewport = new Viewport(size, canvas.getBoundingClientRect());
      return corners.map((corner, index) => {
        const next = corners[(index + 1) % 4];
        const at = viewport.point([corner[0] * 0.88 + next[0] * 0.12, corner[1] * 0.88 + next[1] * 0.12]);
        const around = canvas.getContext("2d").getImageData(...at.map((place) => Math.round(place) - 1), 3, 3).data;
        const pixels = Array.from({ length: 9 }, (_, index) => [...around.slice(4 * index, 4 * index + 4)]);
        return pixels.sort((a, b) => b[2] - b[0] - (a[2] - a[0]))[0]; // the one with most of the colour: lines have soft edges
      });
    }""",
        {"corners": found["corners"], "size": {key: answer[key] for key in ("width", "height")}},
    )
    for red, green, blue, _ in colours[1:]:  # a label may be on the first
        assert blue > 200 and green > 150 and red < 150, colours


def test_a_hidden_page_sends_no_frames(browse, person):
    page = filmed(browse, "1 face found", clip=person)
    set_hidden = """(hidden) => {
      Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }"""
    page.evaluate(set_hidden, True)
    page.wait_for_function("() => frames_.now === 0")
    # A frame that was taken before may still be sent; none is sent while twenty more come.
    more = page.evaluate("""async () => {
      const video = document.getElementById("video");
      const next = () => new Promise((resolve) => video.requestVideoFrameCallback(resolve));
      for (let i = 0; i < 10; i++) await next();
      const sent = frames_.sent + frames_.now;
      for (let i = 0; i < 20; i++) await next();
      return frames_.sent + frames_.now - sent;
    }""")
    assert more == 0
    sent = page.evaluate("frames_.sent")
    page.evaluate(set_hidden, False)
    page.wait_for_function("(sent) => frames_.sent > sent", arg=sent)


@pytest.mark.parametrize(
    ("options", "words"),
    [({"cameras": 1, "allowed": False}, "does not let this page use the camera"), ({}, "no such camera")],
)
def test_a_camera_that_cannot_be_used_is_reported(browse, options, words):
    page = browse(**options)
    page.click("#camera")
    expect(page.locator("#notice")).to_contain_text(words)
    expect(page.locator("#camera")).to_have_attribute("aria-pressed", "false")


def test_a_lost_engine_and_its_return_are_reported(browse, person, stoppable_engine):
    page = filmed(browse, "1 face found", clip=person)
    stoppable_engine.stop()
    page.wait_for_selector("#engine[data-state=lost]")
    expect(page.locator("#notice")).to_contain_text("continues by itself")
    expect(page.locator("#notice-title")).to_have_text(re.compile("^The engine is (not reachable|stopping)$"))
    expect(page.locator("#notice")).not_to_contain_text("socket")
    # Nothing is left of what was found.
    expect(count(page)).to_have_text("Faces")
    expect(page.locator("#details")).to_be_hidden()
    expect(page.locator("#engine-time")).to_be_hidden()
    assert is_blank(page)
    sent = page.evaluate("frames_.sent")
    stoppable_engine.start()
    page.wait_for_selector("#engine[data-state=ready]")
    page.wait_for_selector("#notice", state="hidden")
    page.wait_for_function("(sent) => frames_.sent > sent + 2", arg=sent)


def test_a_hung_engine_is_not_called_absent(browse, stoppable_engine):
    page = browse()
    page.wait_for_selector("#engine[data-state=ready]")
    stoppable_engine.process.send_signal(signal.SIGSTOP)
    try:
        page.set_input_files("#file", PHOTO)
        page.wait_for_selector("#notice:not([hidden])")
        expect(page.locator("#notice-title")).to_contain_text("does not answer")
        expect(page.locator("#engine-text")).to_have_text("Engine does not answer")
    finally:
        stoppable_engine.process.send_signal(signal.SIGCONT)
    expect(count(page)).to_contain_text("1 face found")


def test_a_picture_waits_for_a_lost_engine(browse, stoppable_engine):
    page = browse()
    stoppable_engine.stop()
    page.set_input_files("#file", PHOTO)
    expect(page.locator("#notice")).to_contain_text("continues by itself")
    stoppable_engine.start()
    expect(count(page)).to_contain_text("1 face found")
    expect(page.locator("#notice")).to_be_hidden()


def test_the_content_security_policy_is_enforced(browse, gateway):
    page = browse()
    policy = page.request.get(gateway).headers["content-security-policy"]
    assert "script-src 'self'" in policy and "unsafe" not in policy
    page.evaluate("""() => {
      const script = document.createElement("script");
      script.textContent = "window.wasRun = true";
      document.head.append(script);
    }""")
    page.wait_for_function("() => violations.length === 1")
    assert page.evaluate("window.wasRun") is None
    page.expected_violations = ["script-src-elem inline"]


@pytest.mark.parametrize(("device", "scheme"), LOOKS)
def test_accessible_and_nothing_is_cut_off(browse, tmp_path, device, scheme):
    page = browse(size=SIZES[device], color_scheme=scheme, reduced_motion="reduce")
    assert_accessible(page)
    search(page, two_faces(tmp_path), "2 faces found")
    page.click("#json summary")
    assert_accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def assert_accessible(page):
    # axe is injected by the test, past the page's policy.
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    assert [(one["id"], [node["html"][:200] for node in one["nodes"]]) for one in found] == []


def test_words_are_of_what_a_person_has_in_hand(browse):
    words = browse(size=SIZES["phone"], **TOUCH).locator("#welcome").inner_text()
    assert "Choose a picture" in words and "use the camera" in words
    assert "Drop" not in words and "paste" not in words
    words = browse().locator("#welcome").inner_text()
    assert "Drop a picture here" in words and "paste one" in words and "Choose a picture" not in words


def test_the_stage_is_brought_into_view(browse):
    page = browse(size=(390, 500), cameras=1, **TOUCH)
    page.wait_for_selector("#engine[data-state=ready]")
    away = "scrollTo(0, document.documentElement.scrollHeight)"
    for begin in ("camera.click()", "camera.click(); camera.click()"):
        page.evaluate(away)
        assert page.locator("#stage").bounding_box()["y"] < 0
        page.evaluate(begin)
        page.wait_for_function("() => stage.getBoundingClientRect().top > -1")


@pytest.mark.parametrize("path", ["/", "/check"])
def test_without_scripts_a_page_says_what_is_missing(browse, path):
    page = browse(path, java_script_enabled=False)
    # Nothing of it changes, and it has no script that could wait.
    assert "needs JavaScript" in page.locator("body").inner_text()
    assert not page.locator("#engine").is_visible()
    assert not page.locator("main").is_visible()


def test_reduced_motion_is_respected(browse):
    still = browse(reduced_motion="reduce")
    still.wait_for_selector("#hero")
    first = pixels(still, "#hero")
    again = still.evaluate("""async () => {
      for (let i = 0; i < 20; i++) await new Promise(requestAnimationFrame);
      return document.getElementById("hero").toDataURL();
    }""")
    assert again == first
    moving = browse(reduced_motion="no-preference")
    moving.wait_for_selector("#hero")
    moving.evaluate("window.first = document.getElementById('hero').toDataURL()")
    moving.wait_for_function("() => document.getElementById('hero').toDataURL() !== window.first")

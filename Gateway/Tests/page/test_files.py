"""Files on the page that finds faces: which kinds it takes, and what it shows of them."""

import json
import re

import pytest
from playwright.sync_api import expect

from conftest import PHOTO
from test_faces import (
    HEIC, HOLD_ANSWERS, assert_accessible, copied_json, count, drop, found, is_blank, pixels, search, twelve_faces, wait_for_text)


def test_a_search_under_way_is_shown_and_announced(browse):
    page = browse(script=HOLD_ANSWERS)
    page.set_input_files("#file", PHOTO)
    page.wait_for_function("() => window.held")
    page.wait_for_selector("#busy:not([hidden])")
    assert page.locator("#status").text_content() == "Searching for faces"
    assert count(page).text_content() == "Searching for faces…" and page.locator("#hint").is_hidden()
    assert page.locator("#stage").get_attribute("aria-busy") == "true"
    assert not page.locator("#engine-time").is_visible(), "no time is known yet"
    assert_accessible(page)
    page.evaluate("release()")
    wait_for_text(page.locator("#status"), "1 face found")
    page.wait_for_selector("#busy", state="hidden")
    assert page.locator("#stage").get_attribute("aria-busy") is None
    assert page.locator("#engine-time").is_visible()


def test_a_file_that_is_no_picture_is_reported(browse):
    page = browse()
    drop(page, "notes.txt", "text/plain", b"no picture")
    wait_for_text(page.locator("#notice"), "not a picture")
    drop(page, "broken.jpg", "image/jpeg", b"no picture either")
    wait_for_text(page.locator("#notice"), "cannot be read")
    wait_for_text(page.locator("#notice-text"), "Image does not begin like a JPEG")
    assert page.locator("#notice").get_attribute("role") == "alert"
    drop(page, "cut.jpg", "image/jpeg", PHOTO.read_bytes()[:30000])
    wait_for_text(page.locator("#notice-text"), "JPEG is damaged or cut short")
    assert page.locator("#again").is_hidden(), "the same file fails again"


# The page waits a fifteenth as long for each part that is sent, and what it says meanwhile is recorded.
HURRY = """
  const wait = window.setTimeout;
  window.setTimeout = (call, time, ...more) => wait(call, time === 30000 && !sent.hidden ? 2000 : time, ...more);
  window.said = [];
  addEventListener("DOMContentLoaded", () => new MutationObserver(() => said.push({
    text: busy.innerText, share: sent.hidden ? null : sent.value })).observe(busy, { subtree: true, childList: true, attributes: true }));
"""


def test_a_slow_line_shows_what_was_sent(browse, tmp_path):
    page = browse(script=HURRY)
    twelve = twelve_faces(tmp_path)
    line = page.context.new_cdp_session(page)
    line.send("Network.enable")
    line.send("Network.emulateNetworkConditions", {
        "offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": twelve.stat().st_size / 6})
    search(page, twelve, "12 faces found")
    assert page.evaluate("pictureTypes") == ["image/jpeg"], "it was sent once"
    said = page.evaluate("said")
    shares = [one["share"] for one in said if one["share"] is not None]
    assert shares == sorted(shares) and len({share for share in shares if 0 < share < 1}) > 2, said
    assert any(re.search(r"Sending the picture\s+0\.\d of 0\.\d MB", one["text"]) for one in said), said
    assert page.locator("#busy").is_hidden()


def test_a_line_that_carries_nothing_is_reported(browse):
    page = browse(script=HURRY)
    page.route("**/v1/detect*", lambda route: None)  # nothing is sent, nor answered
    page.set_input_files("#file", PHOTO)
    page.wait_for_selector("#again")  # after the second time
    assert page.locator("#notice").inner_text().split("\n")[0] == "No connection"
    assert "The line has carried nothing for 30 s." in page.locator("#notice-text").text_content()


@pytest.mark.parametrize(("status", "code", "times"), [(503, "UNAVAILABLE", 2), (504, "DEADLINE_EXCEEDED", 1), (429, "RESOURCE_EXHAUSTED", 1)])
def test_a_picture_is_not_sent_without_end(browse, status, code, times):
    page = browse()
    page.wait_for_selector("#engine[data-state=ready]")
    calls = []
    refusal = {"error": {"code": code, "message": "the engine does not answer; try again soon"}}

    def refuse(route):
        calls.append(route.request.url)
        route.fulfill(status=status, json=refusal)
    page.route("**/v1/detect*", refuse)
    page.set_input_files("#file", PHOTO)
    page.wait_for_selector("#again")
    wait_for_text(page.locator("#notice"), "The engine does not answer")
    assert len(calls) == times and "continues" not in page.locator("#notice").text_content()
    assert_accessible(page)
    page.unroute("**/v1/detect*")
    page.click("#again")
    wait_for_text(count(page), "1 face found")
    assert page.locator("#notice").is_hidden()


def test_a_sample_is_searched(browse, gateway):
    page = browse()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.get_by_role("button", name="Try the astronaut").click()
    wait_for_text(count(page), "1 face found")
    assert page.locator("#size").text_content() == "512 × 512"
    assert all(url.startswith((gateway, "blob:")) for url in asked), asked
    page.reload()
    page.get_by_role("button", name="Try the commodore").press("Enter")
    wait_for_text(page.locator("#size"), "512 × 600")


def test_the_marked_picture_and_the_json_are_saved(browse, tmp_path):
    from PIL import Image, ImageChops

    page = browse()
    assert page.locator("#saves").is_hidden()
    search(page, PHOTO, "1 face found")

    def saved(button):
        with page.expect_download() as download:
            page.get_by_role("button", name=button).click()
        download.value.save_as(tmp_path / download.value.suggested_filename)
        return tmp_path / download.value.suggested_filename
    with Image.open(saved("Save the marked picture")) as marked, Image.open(PHOTO) as photo:
        assert (marked.format, marked.size) == ("PNG", photo.size)
        changed = ImageChops.difference(marked.convert("RGB"), photo.convert("RGB")).point(lambda value: 255 if value > 60 else 0).getbbox()
    answer = json.loads(saved("Save the JSON").read_text())
    box = answer["faces"][0]["box"]
    assert len(answer["faces"][0]["blendshapes"]) == 52
    assert changed[0] <= box["x"] + 2 and changed[2] >= box["x"] + box["width"] - 2, "marks are around the face, in the file's pixels"


def test_the_search_is_set_by_sliders(browse, tmp_path):
    page = found(browse, twelve_faces(tmp_path), "12 faces found")
    most, least = (page.get_by_role("slider", name=name) for name in ("Most faces", "Least confidence"))
    assert most.get_attribute("aria-valuetext") == "All" and least.get_attribute("aria-valuetext") == "60%"
    most.fill("3")
    wait_for_text(count(page), "3 faces found")
    least.focus()
    page.keyboard.press("End")
    wait_for_text(count(page), "No face found")
    assert least.get_attribute("aria-valuetext") == "95%"


def test_every_expression_is_shown_on_demand(browse):
    page = found(browse)
    page.get_by_text("All 52 expressions").click()
    expect(page.locator(".all .bars > div")).to_have_count(52)
    names = page.locator(".all dt").all_text_contents()
    assert len(set(names)) == 52 and "Neutral" in names and "Mouth smile, left" in names


@pytest.mark.parametrize("failure", ["other", "broken", "denied"])
def test_nothing_is_left_of_a_result_under_an_error(browse, failure):
    page = found(browse, PHOTO, "1 face found", allowed=failure != "denied")
    if failure == "denied":
        page.click("#camera")
    else:
        kind = {"other": ("notes.txt", "text/plain"), "broken": ("broken.jpg", "image/jpeg")}[failure]
        drop(page, *kind, b"no picture")
    page.wait_for_selector("#notice:not([hidden])")
    assert count(page).text_content() == "Faces" and page.locator(".face").count() == 0
    assert page.locator("#details").is_hidden() and page.locator("#json").is_hidden()
    assert page.locator("#status").text_content() == ""
    assert is_blank(page) and not page.locator("#engine-time").is_visible()


@pytest.mark.parametrize("kind", ["", "image/heic"])
def test_a_file_that_the_browser_cannot_show_is_sent_as_it_is(browse, kind):
    page = browse()
    drop(page, "photo.heic", kind, HEIC.read_bytes())
    wait_for_text(page.locator("#status"), "No face found")
    assert page.evaluate("pictureTypes") == [kind]
    assert page.locator("#size").text_content() == "48 × 32"
    assert page.locator("#notice").is_hidden()
    wait_for_text(page.locator("#unshown"), "this browser cannot show it")
    assert page.locator("#unshown").is_visible()
    search(page, PHOTO, "1 face found")
    assert page.locator("#unshown").is_hidden()


def test_faces_of_a_file_that_the_browser_cannot_show_are_drawn(browse, tmp_path):
    from PIL import Image

    with Image.open(PHOTO) as photo:
        photo.save(tmp_path / "photo.tiff")
    page = found(browse, tmp_path / "photo.tiff", "1 face found")
    assert page.locator("#size").text_content() == "512 × 600" and page.locator("#unshown").is_visible()
    drawn = pixels(page)
    page.locator("#layer-boxes").uncheck(force=True)
    assert pixels(page) != drawn
    # The empty picture is where the picture would be.
    colours = page.evaluate("""() => {
      const canvas = document.getElementById("picture");
      const colour = (x, y) => [...canvas.getContext("2d").getImageData(canvas.width * x, canvas.height * y, 1, 1).data];
      return { within: colour(0.5, 0.97), beside: colour(0.02, 0.5) };
    }""")
    assert colours["within"][3] == 255 and colours["beside"][3] == 0


def test_a_picture_without_faces(browse, tmp_path):
    from PIL import Image

    Image.new("RGB", (640, 480), (120, 140, 160)).save(tmp_path / "grey.png")
    page = browse()
    page.set_input_files("#file", tmp_path / "grey.png")
    wait_for_text(page.locator("#status"), "No face found")
    assert page.locator("#details").is_hidden()


def test_a_picture_is_turned_by_its_metadata(browse, tmp_path):
    from PIL import Image

    with Image.open(PHOTO) as photo:
        turned = photo.transpose(Image.Transpose.ROTATE_90)
        metadata = Image.Exif()
        metadata[0x0112] = 6  # turn clockwise to be upright
        turned.save(tmp_path / "turned.jpg", exif=metadata)
    page = found(browse, tmp_path / "turned.jpg", "1 face found")
    assert page.locator("#size").text_content() == "512 × 600"


def test_a_large_picture_of_another_kind_is_sent_as_a_smaller_jpeg(browse, tmp_path):
    from PIL import Image

    with Image.open(PHOTO) as photo:
        photo.resize((3072, 3600)).save(tmp_path / "large.bmp")
    page = browse()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    search(page, PHOTO, "1 face found")
    assert not page.locator("#copy-size").is_visible()
    page.click("#json summary")
    small = copied_json(page)
    page.set_input_files("#file", tmp_path / "large.bmp")
    wait_for_text(page.locator("#size"), "3072 × 3600")
    assert page.evaluate("pictureTypes") == ["image/jpeg", "image/jpeg"]
    # Sizes and places are the file's, and what was searched is named.
    assert page.locator("#copy-size").text_content() == "2185 × 2560" and page.locator("#copy-size").is_visible()
    large = copied_json(page)
    assert (large["width"], large["height"]) == (3072, 3600)
    for key in ("x", "y", "width", "height"):
        assert large["faces"][0]["box"][key] == pytest.approx(6 * small["faces"][0]["box"][key], rel=0.05)
    assert page.locator("#json-note").inner_text() == "In pixels of the file, 3072 × 3600. A copy of 2185 × 2560 was searched."
    place = [int(number) for number in re.findall(r"\d+", page.locator(".place").text_content())]
    assert place == [round(large["faces"][0]["box"][key]) for key in ("width", "height", "x", "y")]
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.locator("#copy-size").is_visible() and page.locator("#size").is_visible()


def test_every_length_of_an_answer_is_scaled(browse):
    answer = {"schemaVersion": 1, "width": 100, "height": 50, "models": [], "faces": [{
        "box": {"x": 10, "y": 10, "width": 20, "height": 30}, "confidence": 0.9, "points": {"leftEye": [1, 2]},
        "regions": {"allPoints": [[3, 4], [5, 6]], "leftEye": []}, "depth": [7, -8], "pose": {"yaw": 1, "pitch": 2, "roll": 3}}]}
    found = browse().evaluate("""async (answer) => {
      const { inPixelsOf } = await import("/assets/picture-file.js");
      const bare = { ...answer, faces: [{ box: answer.faces[0].box, confidence: 1 }] };
      return [inPixelsOf({ width: 400, height: 150 }, answer), inPixelsOf({ width: 400, height: 150 }, bare).faces[0].box.x];
    }""", answer)
    assert found == [{**answer, "width": 400, "height": 150, "faces": [{
        **answer["faces"][0], "box": {"x": 40, "y": 30, "width": 80, "height": 90}, "points": {"leftEye": [4, 6]},
        "regions": {"allPoints": [[12, 12], [20, 18]], "leftEye": []}, "depth": [28, -32]}]}, 40]

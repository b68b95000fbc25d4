"""Files on the page that finds faces: which kinds it takes, and what it shows of them."""

import json
import re

import pytest
from playwright.sync_api import expect

from conftest import PHOTO
from test_faces import (
    HEIC,
    HOLD_ANSWERS,
    assert_accessible,
    copied_json,
    count,
    drop,
    found,
    is_blank,
    pixels,
    search,
    twelve_faces,
)


def test_a_search_under_way_is_shown_and_announced(browse):
    page = browse(script=HOLD_ANSWERS)
    page.set_input_files("#file", PHOTO)
    page.wait_for_function("() => window.held")
    page.wait_for_selector("#busy:not([hidden])")
    expect(page.locator("#status")).to_have_text("Searching for faces")
    expect(count(page)).to_have_text("Searching for faces…")
    expect(page.locator("#hint")).to_be_hidden()
    expect(page.locator("#stage")).to_have_attribute("aria-busy", "true")
    expect(page.locator("#engine-time"), "no time is known yet").to_be_hidden()
    assert_accessible(page)
    page.evaluate("release()")
    expect(page.locator("#status")).to_contain_text("1 face found")
    page.wait_for_selector("#busy", state="hidden")
    expect(page.locator("#stage")).not_to_have_attribute("aria-busy", re.compile(""))
    expect(page.locator("#engine-time")).to_be_visible()


def test_a_file_that_is_no_picture_is_reported(browse):
    page = browse()
    drop(page, "notes.txt", "text/plain", b"no picture")
    expect(page.locator("#notice")).to_contain_text("not a picture")
    drop(page, "broken.jpg", "image/jpeg", b"no picture either")
    expect(page.locator("#notice")).to_contain_text("cannot be read")
    expect(page.locator("#notice-text")).to_contain_text("Image does not begin like a JPEG")
    expect(page.locator("#notice")).to_have_attribute("role", "alert")
    drop(page, "cut.jpg", "image/jpeg", PHOTO.read_bytes()[:30000])
    expect(page.locator("#notice-text")).to_contain_text("JPEG is damaged or cut short")
    expect(page.locator("#again"), "the same file fails again").to_be_hidden()


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
    line.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": twelve.stat().st_size / 6},
    )
    search(page, twelve, "12 faces found")
    assert page.evaluate("pictureTypes") == ["image/jpeg"], "it was sent once"
    said = page.evaluate("said")
    shares = [one["share"] for one in said if one["share"] is not None]
    assert shares == sorted(shares) and len({share for share in shares if 0 < share < 1}) > 2, said
    assert any(re.search(r"Sending the picture\s+0\.\d of 0\.\d MB", one["text"]) for one in said), said
    expect(page.locator("#busy")).to_be_hidden()


def test_a_line_that_carries_nothing_is_reported(browse):
    page = browse(script=HURRY)
    page.route("**/v1/detect*", lambda route: None)  # nothing is sent, nor answered
    page.set_input_files("#file", PHOTO)
    page.wait_for_selector("#again")  # after the second time
    expect(page.locator("#notice-title")).to_have_text("No connection")
    expect(page.locator("#notice-text")).to_contain_text("The line has carried nothing for 30 s.")


@pytest.mark.parametrize(
    ("status", "code", "times"),
    [(503, "UNAVAILABLE", 2), (504, "DEADLINE_EXCEEDED", 1), (429, "RESOURCE_EXHAUSTED", 1)],
)
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
    expect(page.locator("#notice")).to_contain_text("The engine does not answer")
    assert len(calls) == times
    expect(page.locator("#notice")).not_to_contain_text("continues")
    assert_accessible(page)
    page.unroute("**/v1/detect*")
    page.click("#again")
    expect(count(page)).to_contain_text("1 face found")
    expect(page.locator("#notice")).to_be_hidden()


def test_a_sample_is_searched(browse, gateway):
    page = browse()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.get_by_role("button", name="Try the astronaut").click()
    expect(count(page)).to_contain_text("1 face found")
    expect(page.locator("#size")).to_have_text("512 × 512")
    assert all(url.startswith((gateway, "blob:")) for url in asked), asked
    page.reload()
    page.get_by_role("button", name="Try the commodore").press("Enter")
    expect(page.locator("#size")).to_contain_text("512 × 600")


def test_the_marked_picture_and_the_json_are_saved(browse, tmp_path):
    from PIL import Image, ImageChops

    page = browse()
    expect(page.locator("#saves")).to_be_hidden()
    search(page, PHOTO, "1 face found")

    def saved(button):
        with page.expect_download() as download:
            page.get_by_role("button", name=button).click()
        download.value.save_as(tmp_path / download.value.suggested_filename)
        return tmp_path / download.value.suggested_filename

    with Image.open(saved("Save the marked picture")) as marked, Image.open(PHOTO) as photo:
        assert (marked.format, marked.size) == ("PNG", photo.size)
        changed = (
            ImageChops.difference(marked.convert("RGB"), photo.convert("RGB"))
            .point(lambda value: 255 if value > 60 else 0)
            .getbbox()
        )
    answer = json.loads(saved("Save the JSON").read_text())
    box = answer["faces"][0]["box"]
    assert len(answer["faces"][0]["blendshapes"]) == 52
    assert changed[0] <= box["x"] + 2 and changed[2] >= box["x"] + box["width"] - 2, (
        "marks are around the face, in the file's pixels"
    )


def test_the_search_is_set_by_sliders(browse, tmp_path):
    page = found(browse, twelve_faces(tmp_path), "12 faces found")
    most, least = (page.get_by_role("slider", name=name) for name in ("Most faces", "Least confidence"))
    expect(most).to_have_attribute("aria-valuetext", "All")
    expect(least).to_have_attribute("aria-valuetext", "60%")
    most.fill("3")
    expect(count(page)).to_contain_text("3 faces found")
    least.focus()
    page.keyboard.press("End")
    expect(count(page)).to_contain_text("No face found")
    expect(least).to_have_attribute("aria-valuetext", "95%")


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
    expect(count(page)).to_have_text("Faces")
    expect(page.locator(".face")).to_have_count(0)
    expect(page.locator("#details")).to_be_hidden()
    expect(page.locator("#json")).to_be_hidden()
    expect(page.locator("#status")).to_have_text("")
    assert is_blank(page)
    expect(page.locator("#engine-time")).to_be_hidden()


@pytest.mark.parametrize("kind", ["", "image/heic"])
def test_a_file_that_the_browser_cannot_show_is_sent_as_it_is(browse, kind):
    page = browse()
    drop(page, "photo.heic", kind, HEIC.read_bytes())
    expect(page.locator("#status")).to_contain_text("No face found")
    assert page.evaluate("pictureTypes") == [kind]
    expect(page.locator("#size")).to_have_text("48 × 32")
    expect(page.locator("#notice")).to_be_hidden()
    expect(page.locator("#unshown")).to_contain_text("this browser cannot show it")
    expect(page.locator("#unshown")).to_be_visible()
    search(page, PHOTO, "1 face found")
    expect(page.locator("#unshown")).to_be_hidden()


def test_faces_of_a_file_that_the_browser_cannot_show_are_drawn(browse, tmp_path):
    from PIL import Image

    with Image.open(PHOTO) as photo:
        photo.save(tmp_path / "photo.tiff")
    page = found(browse, tmp_path / "photo.tiff", "1 face found")
    expect(page.locator("#size")).to_have_text("512 × 600")
    expect(page.locator("#unshown")).to_be_visible()
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
    expect(page.locator("#status")).to_contain_text("No face found")
    expect(page.locator("#details")).to_be_hidden()


def test_a_picture_is_turned_by_its_metadata(browse, tmp_path):
    from PIL import Image

    with Image.open(PHOTO) as photo:
        turned = photo.transpose(Image.Transpose.ROTATE_90)
        metadata = Image.Exif()
        metadata[0x0112] = 6  # turn clockwise to be upright
        turned.save(tmp_path / "turned.jpg", exif=metadata)
    page = found(browse, tmp_path / "turned.jpg", "1 face found")
    expect(page.locator("#size")).to_have_text("512 × 600")


def test_a_large_picture_of_another_kind_is_sent_as_a_smaller_jpeg(browse, tmp_path):
    from PIL import Image

    with Image.open(PHOTO) as photo:
        photo.resize((3072, 3600)).save(tmp_path / "large.bmp")
    page = browse()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    search(page, PHOTO, "1 face found")
    expect(page.locator("#copy-size")).to_be_hidden()
    page.click("#json summary")
    small = copied_json(page)
    page.set_input_files("#file", tmp_path / "large.bmp")
    expect(page.locator("#size")).to_contain_text("3072 × 3600")
    assert page.evaluate("pictureTypes") == ["image/jpeg", "image/jpeg"]
    # Sizes and places are the file's, and what was searched is named.
    expect(page.locator("#copy-size")).to_have_text("2185 × 2560")
    expect(page.locator("#copy-size")).to_be_visible()
    large = copied_json(page)
    assert (large["width"], large["height"]) == (3072, 3600)
    for key in ("x", "y", "width", "height"):
        assert large["faces"][0]["box"][key] == pytest.approx(6 * small["faces"][0]["box"][key], rel=0.05)
    expect(page.locator("#json-note")).to_have_text(
        "In pixels of the file, 3072 × 3600. A copy of 2185 × 2560 was searched."
    )
    place = [int(number) for number in re.findall(r"\d+", page.locator(".place").text_content())]
    assert place == [round(large["faces"][0]["box"][key]) for key in ("width", "height", "x", "y")]
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator("#copy-size")).to_be_visible()
    expect(page.locator("#size")).to_be_visible()


def test_every_length_of_an_answer_is_scaled(browse):
    answer = {
        "schemaVersion": 1,
        "width": 100,
        "height": 50,
        "models": [],
        "faces": [
            {
                "box": {"x": 10, "y": 10, "width": 20, "height": 30},
                "confidence": 0.9,
                "points": {"leftEye": [1, 2]},
                "regions": {"allPoints": [[3, 4], [5, 6]], "leftEye": []},
                "depth": [7, -8],
                "pose": {"yaw": 1, "pitch": 2, "roll": 3},
            }
        ],
    }
    found = browse().evaluate(
        """async (answer) => {
      const { inPixelsOf } = await import("/assets/picture-file.js");
      const bare = { ...answer, faces: [{ box: answer.faces[0].box, confidence: 1 }] };
      return [inPixelsOf({ width: 400, height: 150 }, answer), inPixelsOf({ width: 400, height: 150 }, bare).faces[0].box.x];
    }""",
        answer,
    )
    assert found == [
        {
            **answer,
            "width": 400,
            "height": 150,
            "faces": [
                {
                    **answer["faces"][0],
                    "box": {"x": 40, "y": 30, "width": 80, "height": 90},
                    "points": {"leftEye": [4, 6]},
                    "regions": {"allPoints": [[12, 12], [20, 18]], "leftEye": []},
                    "depth": [28, -32],
                }
            ],
        },
        40,
    ]

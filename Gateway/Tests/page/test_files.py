"""Files on the page that finds faces: which kinds it takes, and what it shows of them."""

import re

import pytest

from conftest import PHOTO
from test_faces import HEIC, HOLD_ANSWERS, assert_accessible, copied_json, count, drop, is_blank, pixels, search, wait_for_text


def test_a_search_under_way_is_shown_and_announced(browse):
    page = browse(script=HOLD_ANSWERS)
    page.set_input_files("#file", PHOTO)
    page.wait_for_function("() => window.held")
    page.wait_for_selector("#busy:not([hidden])")
    wait_for_text(page.locator("#busy-amount"), "0.1 MB to send")
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
    assert page.locator("#notice").get_attribute("role") == "alert"


@pytest.mark.parametrize("failure", ["other", "broken", "denied"])
def test_nothing_is_left_of_a_result_under_an_error(browse, failure):
    page = browse(allowed=failure != "denied")
    search(page, PHOTO, "1 face found")
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
    page = browse()
    search(page, tmp_path / "photo.tiff", "1 face found")
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
    page = browse()
    search(page, tmp_path / "turned.jpg", "1 face found")
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

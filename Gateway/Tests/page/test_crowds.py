"""Many faces on the page: their list, their plates, and their order before a camera."""

import itertools
import math
import re

import pytest
from playwright.sync_api import expect

from conftest import PHOTO
from test_faces import SIZES, filmed, found, pixels, search, twelve_faces


@pytest.mark.parametrize("device", ["phone", "desktop"])
def test_many_faces_are_listed_on_demand(browse, tmp_path, device):
    page = found(browse, twelve_faces(tmp_path), "12 faces found", size=SIZES[device])
    seen, others = page.locator(".face:visible"), page.locator(".others")
    expect(seen).to_have_count(5)
    expect(others).to_have_text("Show 7 more")
    # No face is hidden in a list that scrolls by itself, and the numbers come right below.
    assert page.evaluate("faces.scrollHeight <= faces.clientHeight + 1")
    assert 0 < page.locator("#details").bounding_box()["y"] - others.bounding_box()["y"] < 100
    if device == "desktop":
        body, details = page.locator("#results-body").bounding_box(), page.locator(".angles").bounding_box()
        assert details["y"] + details["height"] <= body["y"] + body["height"], "the panel shows numbers of the face"
    seen.last.focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".face:focus")).to_contain_text("Face 1")
    others.hover()
    others.click()
    expect(seen).to_have_count(12)
    expect(others).to_have_attribute("aria-expanded", "true")
    # The pointer is on a row now, which does not look chosen.
    looks = page.locator(".face").evaluate_all("(rows) => rows.map((row) => getComputedStyle(row).backgroundColor)")
    chosen = page.locator(".face[aria-pressed=true]").evaluate("(row) => getComputedStyle(row).backgroundColor")
    assert looks.count(chosen) == 1, looks
    seen.last.click()
    others.click()
    # The chosen one stays in the list.
    expect(others).to_have_text("Show 6 more")
    expect(seen.last).to_contain_text("Face 12")
    search(page, PHOTO, "1 face found")
    expect(others).to_be_hidden()


# Records the plates that are drawn on the picture, by their heights.
WATCH_PLATES = """
  window.plates = [];
  const { clearRect, roundRect } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.clearRect = function (...area) {
    if (this.canvas.id === "picture") plates.length = 0;
    return clearRect.apply(this, area);
  };
  CanvasRenderingContext2D.prototype.roundRect = function (x, y, width, height, radius) {
    if (this.canvas.id === "picture" && (height === 20 || height === 24)) plates.push({ x, y, width, height });
    return roundRect.call(this, x, y, width, height, radius);
  };
  answering.push((url, text) => {
    window.answer = JSON.parse(text);
    return text;
  });
"""


@pytest.mark.parametrize("device", SIZES)
def test_plates_cover_neither_each_other_nor_faces(browse, tmp_path, device):
    page = found(browse, twelve_faces(tmp_path), "12 faces found", size=SIZES[device], script=WATCH_PLATES)
    pixels(page)
    plates, boxes = page.evaluate("""async () => {
      const { Viewport } = await import("/assets/viewport.js");
      const viewport = new Viewport(answer, picture.getBoundingClientRect());
      return [plates, answer.faces.map(({ box }) => viewport.box(box))];
    }""")
    assert_owned(plates, boxes)


def assert_owned(plates, boxes):
    """Each face has a plate, which covers no other one nor another face, and is nearer to its face than to others."""
    assert len(plates) >= len(boxes), "each face has a number at least"

    def meet(a, b, slack=3):  # a box is drawn as turned as its head, by some degrees
        return (
            a["x"] < b["x"] + b["width"] - slack
            and b["x"] < a["x"] + a["width"] - slack
            and a["y"] < b["y"] + b["height"] - slack
            and b["y"] < a["y"] + a["height"] - slack
        )

    for index, plate in enumerate(plates):
        assert not [other for other in plates[:index] if meet(plate, other)], plate
        apart = sorted(distance(plate, box) for box in boxes)
        assert apart[0] < 8 and apart[1] > apart[0] + 3, (plate, apart)


def distance(a, b):
    across = max(a["x"] - b["x"] - b["width"], b["x"] - a["x"] - a["width"], 0)
    down = max(a["y"] - b["y"] - b["height"], b["y"] - a["y"] - a["height"], 0)
    return math.hypot(across, down)


DRAW_DENSE = """async ([width, height]) => {
  const { drawPlates } = await import("/assets/plates.js");
  const boxes = Array.from({ length: 12 }, (_, index) => ({
    x: 20 + index % 4 * (width / 4.2), y: 26 + Math.floor(index / 4) * (height / 3.3) + (index % 2) * 6, width: width / 4.2 - 12, height: height / 3.3 - 10 }));
  const canvas = document.createElement("canvas");
  canvas.id = "picture";
  const faces = boxes.map((box) => ({ box, confidence: 1 }));
  drawPlates(canvas.getContext("2d"), faces, boxes, { left: 0, top: 0, right: width, bottom: height }, new Set(["boxes"]), { chosen: -1, selected: 0 });
  return [plates, boxes];
}"""


@pytest.mark.parametrize("size", [(330, 300), (480, 320), (800, 600)])
def test_plates_of_a_dense_crowd_are_at_their_own_faces(browse, size):
    page = browse(script=WATCH_PLATES)
    assert_owned(*page.evaluate(DRAW_DENSE, list(size)))


def test_faces_are_numbered_as_one_reads_and_told_apart_by_colour(browse, tmp_path):
    page = found(browse, twelve_faces(tmp_path), "12 faces found", script=WATCH_PLATES)
    page.click(".others")
    places = []
    for row in page.locator(".face").all():
        row.focus()
        places.append([int(number) for number in re.findall(r"\d+", page.locator(".place").text_content())[2:]])
    cells = [(y // 300, x // 300) for x, y in places]
    assert cells == [(row, column) for row in range(3) for column in range(4)]
    colours = page.locator(".face").evaluate_all(
        "(rows) => rows.map((row) => getComputedStyle(row).getPropertyValue('--face'))"
    )
    assert min(math.dist(linear(a), linear(b)) for a, b in itertools.combinations(colours, 2)) > 0.2
    # Dark letters can be read on each.
    assert min(luminance(colour) for colour in colours) > 4.5 * (luminance("#0b0f18") + 0.05) - 0.05


def linear(colour):
    values = [int(colour.strip()[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in values]


def luminance(colour):
    return sum(share * value for share, value in zip((0.2126, 0.7152, 0.0722), linear(colour)))


# A camera with two people, whom the engine names now in this order, now in that.
TWO_PEOPLE = """
  window.answered = 0;
  const face = (id, x) => ({ id, box: { x, y: 50, width: 90, height: 120 }, confidence: 0.9 });
  answering.push((url, text) => {
    const faces = [face(4, 300), face(7, 60)];
    return JSON.stringify({ ...JSON.parse(text), faces: answered++ % 2 ? faces.reverse() : faces });
  });
"""


def test_people_before_a_camera_keep_their_order_and_the_choice(browse):
    page = filmed(browse, "2 faces found", cameras=1, script=TWO_PEOPLE)
    page.evaluate("""() => {
      window.changes = [];
      const note = (records) => records.forEach(({ target }) => changes.push(target.parentElement?.textContent ?? target.textContent));
      for (const element of document.querySelectorAll(".face-name, #details h3"))
        new MutationObserver(note).observe(element, { childList: true, characterData: true, subtree: true });
    }""")
    # A row is written four times a second at most.
    wait_for = "(count) => answered > count + 20"
    page.wait_for_function(wait_for, arg=page.evaluate("answered"))
    expect(page.locator(".face-name")).to_have_text(["Face 4", "Face 7"])
    assert page.evaluate("changes") == []
    page.locator(".face").nth(1).click()
    page.mouse.move(0, 0)
    page.evaluate("changes.length = 0")
    page.wait_for_function(wait_for, arg=page.evaluate("answered"))
    expect(page.locator("#details h3")).to_have_text("Face 7")
    assert page.evaluate("changes") == []


def test_the_choice_is_kept_while_a_face_is_away_for_a_moment(browse):
    page = browse()
    titles = page.evaluate("""async () => {
      const { Results } = await import("/assets/results.js");
      const results = new Results(Object.assign(new EventTarget(), { faceSource: () => null }));
      const face = (id) => ({ id, box: { x: 0, y: 0, width: 9, height: 9 }, confidence: 1 });
      let now = 1e6;
      performance.now = () => now;
      const shown = (...ids) => {
        now += 1000;
        results.show({ faces: ids.map(face) }, true);
        return ["#details h3", ".place"].map((name) => [...document.querySelectorAll(name)].at(-1).textContent.slice(0, 11));
      };
      const titles = [shown(1, 2)];
      document.querySelectorAll(".face")[1].click();
      document.querySelectorAll(".face")[1].dispatchEvent(new PointerEvent("pointerleave"));
      return [...titles, shown(1, 2), shown(1), shown(1, 2), shown(1), shown(1), shown(1, 2)];
    }""")
    away, here = "Not in view", "9 × 9 px at"
    assert titles == [
        ["Face 1", here],
        ["Face 2", here],
        ["Face 2", away],
        ["Face 2", here],
        ["Face 2", away],
        ["Face 1", here],
        ["Face 1", here],
    ]

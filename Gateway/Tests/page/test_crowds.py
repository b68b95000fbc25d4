"""Many faces on the page: their list, their plates, and their order before a camera."""

import pytest

from conftest import PHOTO
from test_faces import SIZES, count, pixels, search, twelve_faces, wait_for_text


@pytest.mark.parametrize("device", ["phone", "desktop"])
def test_many_faces_are_listed_on_demand(browse, tmp_path, device):
    page = browse(size=SIZES[device])
    search(page, twelve_faces(tmp_path), "12 faces found")
    seen, others = page.locator(".face:visible"), page.locator(".others")
    assert seen.count() == 5 and others.text_content() == "Show 7 more"
    # No face is hidden in a list that scrolls by itself, and the numbers come right below.
    assert page.evaluate("faces.scrollHeight <= faces.clientHeight + 1")
    assert 0 < page.locator("#details").bounding_box()["y"] - others.bounding_box()["y"] < 100
    if device == "desktop":
        body, details = page.locator("#results-body").bounding_box(), page.locator(".angles").bounding_box()
        assert details["y"] + details["height"] <= body["y"] + body["height"], "the panel shows numbers of the face"
    seen.last.focus()
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent").startswith("Face 1")
    others.click()
    assert seen.count() == 12 and others.get_attribute("aria-expanded") == "true"
    seen.last.click()
    others.click()
    # The chosen one stays in the list.
    assert others.text_content() == "Show 6 more" and "Face 12" in seen.last.text_content()
    search(page, PHOTO, "1 face found")
    assert others.is_hidden()


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
  const fetched = window.fetch;
  window.fetch = async (url, request) => {
    const response = await fetched(url, request);
    if (String(url).includes("/v1/detect")) window.answer = await response.clone().json();
    return response;
  };
"""


@pytest.mark.parametrize("device", SIZES)
def test_plates_cover_neither_each_other_nor_faces(browse, tmp_path, device):
    page = browse(size=SIZES[device], script=WATCH_PLATES)
    search(page, twelve_faces(tmp_path), "12 faces found")
    pixels(page)
    plates, boxes = page.evaluate("""async () => {
      const { Viewport } = await import("/assets/viewport.js");
      const viewport = new Viewport(answer, picture.getBoundingClientRect());
      return [plates, answer.faces.map(({ box }) => viewport.box(box))];
    }""")
    assert len(plates) >= 12, "each face has a number at least"

    def meet(a, b, slack=3):  # a box is drawn as turned as its head, by some degrees
        return (a["x"] < b["x"] + b["width"] - slack and b["x"] < a["x"] + a["width"] - slack
                and a["y"] < b["y"] + b["height"] - slack and b["y"] < a["y"] + a["height"] - slack)
    for index, plate in enumerate(plates):
        assert not [other for other in plates[:index] if meet(plate, other)], plate
        assert not [box for box in boxes if meet(plate, box)], plate


# A camera with two people, whom the engine names now in this order, now in that.
TWO_PEOPLE = """
  window.answered = 0;
  const face = (id, x) => ({ id, box: { x, y: 50, width: 90, height: 120 }, confidence: 0.9 });
  const fetched = window.fetch;
  window.fetch = async (url, request) => {
    const response = await fetched(url, request);
    if (!String(url).endsWith("/frames")) return response;
    const faces = [face(4, 300), face(7, 60)];
    const answer = { ...await response.json(), faces: answered++ % 2 ? faces.reverse() : faces };
    return new Response(JSON.stringify(answer), { headers: response.headers });
  };
"""


def test_people_before_a_camera_keep_their_order_and_the_choice(browse):
    page = browse(cameras=1, script=TWO_PEOPLE)
    page.click("#camera")
    wait_for_text(count(page), "2 faces found")
    page.evaluate("""() => {
      window.changes = [];
      const note = (records) => records.forEach(({ target }) => changes.push(target.parentElement?.textContent ?? target.textContent));
      for (const element of document.querySelectorAll(".face-name, #details h3"))
        new MutationObserver(note).observe(element, { childList: true, characterData: true, subtree: true });
    }""")
    # A row is written four times a second at most.
    wait_for = "(count) => answered > count + 20"
    page.wait_for_function(wait_for, arg=page.evaluate("answered"))
    assert page.locator(".face-name").all_text_contents() == ["Face, id 4", "Face, id 7"]
    assert page.evaluate("changes") == []
    page.locator(".face").nth(1).click()
    page.mouse.move(0, 0)
    page.evaluate("changes.length = 0")
    page.wait_for_function(wait_for, arg=page.evaluate("answered"))
    assert page.locator("#details h3").text_content() == "Face, id 7" and page.evaluate("changes") == []


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
        ["Face, id 1", here], ["Face, id 2", here], ["Face, id 2", away], ["Face, id 2", here], ["Face, id 2", away],
        ["Face, id 1", here], ["Face, id 1", here]]

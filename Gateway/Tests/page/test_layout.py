"""Where things are on the page, on screens of several sizes."""

import pytest
from playwright.sync_api import expect

from conftest import LONG, PHOTO, ROOT
from test_check import button, open_check
from test_faces import SIZES, found, pixels, search, two_faces

LOOKS = {
    "phone": {"color_scheme": "dark", "forced_colors": "none"},
    "landscape": {"color_scheme": "light", "forced_colors": "none"},
    "small": {"color_scheme": "dark", "forced_colors": "active"},
    "tablet": {"color_scheme": "light", "forced_colors": "none"},
    "desktop": {"color_scheme": "dark", "forced_colors": "none"},
}


def box(page, selector):
    area = page.locator(selector).bounding_box()
    assert area is not None, f"{selector} is not shown"
    return area


def is_within(inner, outer, slack=0.5):
    return (
        inner["x"] >= outer["x"] - slack
        and inner["y"] >= outer["y"] - slack
        and inner["x"] + inner["width"] <= outer["x"] + outer["width"] + slack
        and inner["y"] + inner["height"] <= outer["y"] + outer["height"] + slack
    )


def meet(a, b):
    return (
        a["x"] < b["x"] + b["width"]
        and b["x"] < a["x"] + a["width"]
        and a["y"] < b["y"] + b["height"]
        and b["y"] < a["y"] + a["height"]
    )


def screen(device):
    return {"x": 0, "y": 0, "width": SIZES[device][0], "height": SIZES[device][1]}


def is_wider_than_the_screen(page):
    return page.evaluate("document.documentElement.scrollWidth > innerWidth")


def show_on(page, device):
    page.set_viewport_size({"width": SIZES[device][0], "height": SIZES[device][1]})
    page.emulate_media(**LOOKS[device])
    page.evaluate("() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")


def test_nothing_is_off_its_place(browse, tmp_path):
    page = browse(reduced_motion="reduce")
    for device in SIZES:
        show_on(page, device)
        for start in ("#choose", "#camera"):
            assert is_within(box(page, start), screen(device)), f"{start} is below the fold on {device}"
        assert not is_wider_than_the_screen(page), device
    search(page, two_faces(tmp_path), "2 faces found")
    for device in SIZES:
        show_on(page, device)
        # The times are beside the picture, not on it.
        assert is_within(box(page, "#strip"), box(page, "#stage")), device
        assert not meet(box(page, "#meters"), box(page, "#picture")), device
        assert is_within(box(page, "#picture"), box(page, "#stage")), device
        assert not is_wider_than_the_screen(page), device
        # Expressions are drawn on small screens, too, and of one of several faces without a pointer.
        before = pixels(page)
        page.evaluate("fold.ariaExpanded === 'true' || fold.click()")
        page.locator("#layer-expressions").check(force=True)
        assert pixels(page) != before, device
        # Every layer is in sight, with the name of them all.
        legend = page.locator(".chips legend").bounding_box()
        assert legend["height"] > 10 and legend["width"] > 10, device
        for chip in page.locator("#layers label").all():
            area = chip.bounding_box()
            assert area["x"] >= 0 and area["x"] + area["width"] <= SIZES[device][0], (device, chip.text_content())
        page.locator("#layer-expressions").uncheck(force=True)


@pytest.mark.parametrize("device", ["phone", "landscape", "small"])
def test_the_results_begin_above_the_fold(browse, tmp_path, device):
    page = browse(size=SIZES[device])
    expect(page.locator("#settings")).to_be_hidden()
    expect(page.locator("#fold")).to_have_attribute("aria-expanded", "false")
    search(page, two_faces(tmp_path), "2 faces found")
    for part in ("#count", ".face >> nth=0"):
        assert is_within(box(page, part), screen(device)), part
    assert not meet(box(page, "#results"), box(page, "#stage"))
    page.click("#fold")
    expect(page.get_by_role("slider", name="Least confidence")).to_be_visible()
    page.click("#fold")
    expect(page.locator("#settings")).to_be_hidden()


def test_the_results_end_between_two_rows(browse):
    page = found(browse, PHOTO, "1 face found", size=(1440, 900))
    cut = """() => {
      const panel = document.getElementById("results-body");
      const { bottom } = panel.getBoundingClientRect();
      const rows = [...panel.querySelectorAll("h4, .note, .angles, .bars > div, .face, summary")].map((row) => row.getBoundingClientRect());
      return { scrolls: panel.scrollHeight > panel.clientHeight + 1, rows: rows.filter((row) => row.top < bottom - 1 && row.bottom > bottom + 1).length };
    }"""
    for height in (900, 840, 761, 688):
        page.set_viewport_size({"width": 1440, "height": height})
        page.wait_for_function(f"() => {{ const cut = ({cut})(); return cut.scrolls && cut.rows === 0; }}")
        expect(page.locator("#more")).to_be_visible()
    page.click("#more")
    page.wait_for_function("() => document.getElementById('results-body').scrollTop > 0")
    # What fits is not made to scroll.
    page.set_viewport_size({"width": 1440, "height": 1600})
    page.wait_for_selector("#more", state="hidden")


@pytest.mark.parametrize("device", ["phone", "desktop"] if LONG else ["phone"])
def test_buttons_stay_where_they_are_when_the_camera_starts(browse, device):
    page = browse(size=SIZES[device], cameras=2)
    places = ["#choose", "#camera", "#accuracy", "#layers", "#stage"]
    page.wait_for_selector("#engine[data-state=ready]")
    page.evaluate("fold.ariaExpanded === 'true' || fold.click()")
    before = [box(page, place) for place in places]
    page.click("#camera")
    page.wait_for_selector("#which:not([hidden])")
    expect(page.locator("#camera-text")).to_contain_text("Stop the camera")
    assert [box(page, place) for place in places] == before
    assert is_within(box(page, "#cameras"), box(page, "#stage"))
    assert not meet(box(page, "#cameras"), box(page, "#meters"))
    page.click("#camera")
    expect(page.locator("#camera-text")).to_contain_text("Use the camera")
    assert [box(page, place) for place in places] == before


def test_the_check_begins_above_the_fold(browse):
    page = open_check(browse, start=False)
    for device, language in [
        ("phone", "ar"),
        ("landscape", "de"),
        ("small", "ar"),
        ("small", "en"),
        ("tablet", "ja"),
        ("desktop", "fr"),
    ]:
        page.evaluate("(code) => document.querySelector('face-check').setAttribute('language', code)", language)
        page.wait_for_selector(f"html[lang={language}]")
        show_on(page, device)
        start = button(page, "start").bounding_box()
        assert is_within(start, screen(device)), f"the start is below the fold on {device} in {language}"
        assert is_within(start, box(page, "#check")), (device, language)
        assert not is_wider_than_the_screen(page), (device, language)
    # So does a component of its own height, on a phone on its side.
    show_on(page, "small")
    page.evaluate("""() => {
      document.querySelector(".check-stage").style.height = "auto";
      document.querySelector("face-check").removeAttribute("fill");
      document.querySelector("face-check").scrollIntoView();
    }""")
    assert is_within(button(page, "start").bounding_box(), screen("small"))


# Shows every text of the guided check, and returns where one is cut off.
SHOW_ALL = """async () => {
  const modules = ["view", "scene", "texts"].map((name) => import(`/${name}.js`));
  const [{ CheckView }, { newStatus, sceneOf }, { texts }] = await Promise.all(modules);
  const running = { ...newStatus(), isRunning: true, isAnswered: true, state: "checking" };
  const keys = Object.keys(texts.en);
  const tips = keys.filter((key) => /^tip\\.[a-z_]+$/.test(key)).map((key) => key.slice(4));
  const failures = keys.filter((key) => /^failed\\.[a-z_]+$/.test(key)).map((key) => key.slice(7));
  const states = [
    newStatus(), { ...running, isAnswered: false }, running, { ...running, state: "waiting" }, { ...running, picture: {} }, { ...running, picture: {}, isAccepted: true },
    ...tips.map((tip) => ({ ...running, tip })), ...[...failures, "time_out"].map((failure) => ({ ...running, failure })),
    ...["camera_gone", "camera_missing", "camera_denied", "engine_gone"].map((hindrance) => ({ ...running, hindrance }))];
  const host = document.getElementById("host");
  const root = host.attachShadow({ mode: "open" });
  const view = new CheckView(root, { onButton() {}, onResize() {} });
  const rectangle = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return range.getBoundingClientRect();
  };
  const isWithin = (inner, outer) => inner.left >= outer.left - 0.5 && inner.right <= outer.right + 0.5
    && inner.top >= outer.top - 0.5 && inner.bottom <= outer.bottom + 0.5;
  const cut = [];
  let shown = 0;
  for (const rem of [16, 21.5]) for (const fills of [true, false]) for (const language of Object.keys(texts)) for (const status of states) {
    document.documentElement.style.fontSize = `${rem}px`;
    host.toggleAttribute("fill", fills);
    view.setLanguage(language, texts[language]);
    view.show(sceneOf(status, { isMirrored: true, countdown: 2, confirms: true, now: 1e9 }));
    shown += 1;
    const panel = root.querySelector(".panel");
    // What a panel of a given height has no room for is scrolled to.
    if (panel.scrollWidth > panel.clientWidth) cut.push([rem, fills, language, panel.textContent]);
    for (const button of root.querySelectorAll("button")) {
      if (!isWithin(rectangle(button), button.getBoundingClientRect())) cut.push([rem, fills, language, button.textContent]);
    }
    for (const text of root.querySelectorAll(".title, .detail")) {
      const { left, right } = panel.getBoundingClientRect(), { left: from, right: to } = rectangle(text);
      if (text.textContent && (from < left || to > right)) cut.push([rem, fills, language, text.textContent]);
    }
  }
  return { cut, shown, languages: Object.keys(texts).length };
}"""


@pytest.mark.parametrize("device", SIZES)
def test_no_text_of_the_check_is_cut_off(browse, other_site, device):
    folder = ROOT / "Gateway/Page/face-check"
    style = "html, body { margin: 0; height: 100%; }"
    other_site.files = {f"/{path.name}": ("text/javascript", path.read_text()) for path in folder.glob("*.js")}
    other_site.policy = ""
    other_site.files["/"] = (
        "text/html",
        f"<!doctype html><meta charset=utf-8><style>{style}</style><div id=host></div>",
    )
    page = browse(f"{other_site.origin}/", size=SIZES[device])
    found = page.evaluate(SHOW_ALL)
    assert found["languages"] == 6 and found["shown"] >= 2 * 2 * 6 * 40
    assert found["cut"] == []

"""The guided check as a web component, <face-check>, on its own page."""

import json
import re

import pytest
from playwright.sync_api import expect

from conftest import LONG, ROOT, until
from test_faces import DEVICES, HOLD_CAMERA, SIZES, TOUCH, assert_accessible


def texts(language):
    """The component's texts, or `symbols`."""
    source = (ROOT / "Gateway/Page/face-check/texts.js").read_text()
    table = re.search(
        rf"^(?:  {language}:|export const {language} =) (\{{.*?)^ *\}}", source, re.MULTILINE | re.DOTALL
    )[1]
    return json.loads(table.rstrip().removesuffix(",") + "}")


ENGLISH = texts("en")

# Records the events of the component.
LISTEN = """() => {
  window.told = [];
  for (const name of ["state", "tip", "result", "failed"])
    document.querySelector("face-check").addEventListener(name, ({ detail }) => told.push({ name, ...detail }));
}"""


def open_check(browse, *, start=True, attributes=None, url="", **options):
    page = browse(f"{url}/check", **options)
    page.wait_for_function("() => customElements.get('face-check') !== undefined")
    page.evaluate(LISTEN)
    page.evaluate(
        """(attributes) => {
      const check = document.querySelector("face-check");
      for (const [name, value] of Object.entries(attributes))
        value === null ? check.removeAttribute(name) : check.setAttribute(name, value);
    }""",
        attributes or {},
    )
    if start:
        page.evaluate("document.querySelector('face-check').start()")
    return page


def wait_for_event(page, name, **members):
    """The event of that name with these members in its detail, now or soon."""
    page.wait_for_function(
        "([name, members]) => told.some((event) => event.name === name && "
        "Object.entries(members).every(([key, value]) => event[key] === value))",
        arg=[name, members],
    )


def title(page):
    return page.locator("face-check .title")


def button(page, key):
    return page.locator(f"face-check button[data-key={key}]")


def test_a_check_finishes_with_a_picture(browse, person):
    page = open_check(browse, clip=person, attributes={"confirm": None, "countdown": "1"})
    wait_for_event(page, "result")
    result = page.evaluate("""async () => {
      const { picture, crop, face, cropBox } = told.find(({ name }) => name === "result");
      const of = async (blob) => {
        const { width, height } = await createImageBitmap(blob);
        return { type: blob.type, width, height };
      };
      return { picture: await of(picture), crop: await of(crop), face, cropBox };
    }""")
    assert result["picture"]["type"] == result["crop"]["type"] == "image/jpeg"
    assert result["picture"]["height"] == 720
    assert (result["crop"]["width"], result["crop"]["height"]) == (768, 768)
    assert result["face"]["confidence"] > 0.8
    assert result["cropBox"]["width"] == result["cropBox"]["height"]
    states = [event["state"] for event in page.evaluate("told") if event["name"] == "state"]
    assert states[0] == "starting" and states[-3:] == ["start", "checking", "finish"]
    expect(title(page)).to_have_text(ENGLISH["saved"])
    expect(page.locator("face-check img")).to_be_visible()
    expect(page.locator("face-check")).to_have_js_property("state", "finish")
    assert page.evaluate("frames_.most") == 1
    # The attempt has ended, so no frame is sent.
    assert page.evaluate("frames_.now") == 0


def test_the_person_accepts_the_picture_or_takes_another_one(browse, person):
    page = open_check(browse, clip=person, attributes={"confirm": "", "countdown": "0.5"})
    expect(title(page)).to_contain_text(ENGLISH["success"])
    assert not page.evaluate("told.some(({ name }) => name === 'result')")
    button(page, "retake").click()
    page.wait_for_function("() => told.filter(({ state }) => state === 'finish').length === 2")
    button(page, "accept").click()
    wait_for_event(page, "result")
    expect(title(page)).to_contain_text(ENGLISH["saved"])
    assert page.evaluate("told.filter(({ name }) => name === 'result').length") == 1
    expect(page.locator("#crop-size")).to_contain_text("768 × 768")


def test_the_crop_is_seen_to_be_a_part_of_the_picture(browse, person):
    page = open_check(browse, clip=person, attributes={"confirm": None, "countdown": "0.5"})
    wait_for_event(page, "result")
    expect(page.locator("#whole-size")).to_contain_text("× 720")
    page.wait_for_selector("#crop-frame rect[width]")
    whole, crop = (page.locator(name).bounding_box() for name in ("#whole", "#crop"))
    shape = page.evaluate("[whole.naturalWidth / whole.naturalHeight, crop.naturalWidth / crop.naturalHeight]")
    assert whole["width"] / whole["height"] == pytest.approx(shape[0], rel=0.02), "the whole picture is shown whole"
    assert crop["width"] / crop["height"] == pytest.approx(shape[1], rel=0.02)
    assert abs(shape[0] - shape[1]) > 0.1 and whole["width"] > crop["width"] * 1.3
    outline = page.locator("#crop-frame rect").first.bounding_box()
    box = page.evaluate("told.find(({ name }) => name === 'result').cropBox")
    scale = whole["height"] / 720
    assert outline["height"] == pytest.approx(box["height"] * scale, abs=6)
    assert outline["y"] - whole["y"] == pytest.approx(box["y"] * scale, abs=6)
    captions = page.locator("figcaption").all_text_contents()
    assert "Picture: as the preview showed it" in captions[0] and "Crop: the square around the face" in captions[1]


def test_a_check_can_be_operated_by_keys_alone(browse, person):
    page = open_check(browse, start=False, clip=person, attributes={"countdown": "0.5"})
    button(page, "start").focus()
    page.keyboard.press("Enter")
    expect(title(page)).to_contain_text(ENGLISH["success"])
    page.locator("face-check").evaluate("(check) => check.shadowRoot.querySelector('[data-key=retake]').focus()")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    wait_for_event(page, "result")


def test_praise_is_not_shown_as_a_warning(browse, person):
    page = open_check(browse, start=False, clip=person, attributes={"confirm": None, "countdown": "1"})
    page.evaluate("""() => {
      window.seen = [];
      const check = document.querySelector("face-check").shadowRoot.querySelector(".check");
      const note = () => seen.push({ ...check.dataset, detail: check.querySelector(".detail").textContent });
      new MutationObserver(note).observe(check, { attributes: true, childList: true, subtree: true });
      document.querySelector("face-check").start();
    }""")
    wait_for_event(page, "result")
    praise = ENGLISH["tip.hold_still.detail"]
    held = {(screen["screen"], screen["tone"]) for screen in page.evaluate("seen") if screen["detail"] == praise}
    assert held == {("steady", "calm"), ("countdown", "good")}


def test_an_action_is_requested_and_times_out(browse, person):
    page = open_check(browse, clip=person, attributes={"actions": "smile", "timeout": "3"})
    wait_for_event(page, "tip", tip="smile", text=ENGLISH["tip.smile"])
    expect(title(page)).to_contain_text(ENGLISH["tip.smile"])
    expect(page.locator("face-check .ring circle"), "a part of the ring for each action").to_have_count(1)
    wait_for_event(page, "failed", code="time_out", recovers=False)
    expect(title(page)).to_contain_text(ENGLISH["time_out"])
    expect(page.locator("face-check")).to_have_js_property("state", "time_out")
    # The space bar restarts the check, as the text says.
    page.locator("body").press(" ")
    page.wait_for_function("() => told.filter(({ state }) => state === 'checking').length === 2")


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "ar", "ja"] if LONG else ["en", "ja"])
def test_no_key_is_named_to_a_person_who_touches_the_screen(browse, person, language):
    page = open_check(
        browse,
        clip=person,
        attributes={"language": language, "actions": "smile", "timeout": "2"},
        size=SIZES["phone"],
        **TOUCH,
    )
    words = texts(language)
    expect(title(page)).to_contain_text(words["time_out"])
    expect(page.locator("face-check .detail")).to_have_text(words["failed.no_picture.detail"])


def test_a_check_that_starts_asks_for_a_moment(browse, person):
    page = open_check(browse, clip=person, attributes={"actions": "smile"}, script=HOLD_CAMERA)
    page.wait_for_selector("face-check [data-screen=starting]")
    expect(page.get_by_role("status")).to_have_text(ENGLISH["engine_gone"])
    page.evaluate("release()")
    expect(title(page)).to_contain_text(ENGLISH["tip.smile"])


def test_only_what_can_be_done_is_enabled(browse, person):
    page = open_check(browse, start=False, clip=person, attributes={"actions": "smile"})

    def expect_enabled(*keys):
        for key in ("start", "retry", "stop"):
            expect(page.locator(f"#{key}")).to_be_enabled(enabled=key in keys)

    expect(title(page), "a camera that is off asks nobody to come closer").to_have_text(ENGLISH["ready"])
    expect_enabled("start")
    page.locator("#start").press("Enter")
    expect_enabled("retry", "stop")
    expect(page.locator("#stop")).to_be_focused()
    expect(title(page)).to_contain_text(ENGLISH["tip.smile"])
    page.keyboard.press("Enter")
    expect_enabled("start")
    expect(page.locator("#start")).to_be_focused()


def test_a_tip_stays_until_it_could_be_read(browse, other_site):
    folder = ROOT / "Gateway/Page/face-check"
    other_site.files = {f"/{path.name}": ("text/javascript", path.read_text()) for path in folder.glob("*.js")}
    other_site.files["/"] = ("text/html", "<!doctype html><title>Tips</title>")
    other_site.policy = ""
    page = browse(f"{other_site.origin}/")
    # The engine sees now two people, now one. A tip that asks for nothing new is shown at once.
    answers = [
        (0, "several_faces"),
        (400, "move_left"),
        (1900, "no_face"),
        (4400, "move_left"),
        (9000, "move_left"),
        (9100, "several_faces"),
        (9200, "hold_still"),
        (9300, "smile"),
        (9400, "move_back"),
    ]
    shown = page.evaluate(
        """async (answers) => {
      const { newStatus, takeTip } = await import("/scene.js");
      const status = newStatus();
      return answers.map(([now, tip]) => {
        takeTip(status, tip, (tip) => tip.padEnd(60), now);
        return status.tip;
      });
    }""",
        answers,
    )
    assert shown == ["several_faces"] * 4 + ["move_left"] * 2 + ["hold_still", "smile", "move_back"]


def test_the_preview_is_brought_into_view(browse, person):
    page = open_check(
        browse, start=False, clip=person, attributes={"actions": "smile"}, size=SIZES["landscape"], **TOUCH
    )
    for begin in ("start", "retry"):
        page.locator(f"#{begin}").scroll_into_view_if_needed()
        assert page.locator("#check").bounding_box()["y"] < 0
        page.click(f"#{begin}")
        page.wait_for_function("""() => {
          const { top, bottom } = document.getElementById("check").getBoundingClientRect();
          return top > -1 && bottom < innerHeight + 1;
        }""")


def test_no_result_is_left_under_a_failure(browse, person):
    page = open_check(browse, clip=person, attributes={"confirm": None, "countdown": "0.5"})
    page.wait_for_selector("#taken:not([hidden])")
    page.evaluate("""() => {
      const check = document.querySelector("face-check");
      check.options = { "max-yaw": 1000 };
      check.retry();
    }""")
    wait_for_event(page, "failed", code="invalid_argument")
    page.wait_for_selector("#taken", state="hidden")


def test_directions_follow_the_mirrored_view(browse, person):
    # The circle is at the left of the screen, so the person has to move there.
    page = open_check(browse, clip=person, attributes={"circle": "0.2,0.5,0.39"})
    wait_for_event(page, "tip", tip="move_left")
    badge = page.evaluate("""() => {
      const root = document.querySelector("face-check").shadowRoot;
      return root.querySelector(".badge").getBoundingClientRect().x - root.querySelector(".ring").getBoundingClientRect().x;
    }""")
    assert badge < 40
    page.evaluate("document.querySelector('face-check').setAttribute('circle', '0.8,0.5,0.39')")
    wait_for_event(page, "tip", tip="move_right")


# Keeps which object URLs are in use.
COUNT = """
window.urls = new Set();
const { createObjectURL, revokeObjectURL } = URL;
URL.createObjectURL = (blob) => {
  const url = createObjectURL.call(URL, blob);
  urls.add(url);
  return url;
};
URL.revokeObjectURL = (url) => {
  urls.delete(url);
  revokeObjectURL.call(URL, url);
};
"""


# Object URLs in use, images with a source, and the part of the page for pictures.
SHOWN = """() => {
  const images = [...document.images, ...check.shadowRoot.querySelectorAll("img")].filter((image) => image.hasAttribute("src"));
  return [...urls, ...images.map(({ src }) => src), ...(document.getElementById("taken").hidden ? [] : ["shown"])];
}"""


@pytest.mark.parametrize(
    "end", ["check.retry()", "check.stop()", "check.remove()", "dispatchEvent(new PageTransitionEvent('pagehide'))"]
)
def test_nothing_of_a_check_outlives_it(browse, person, end):
    page = open_check(browse, start=False, clip=person, attributes={"confirm": None, "countdown": "0.5"}, script=COUNT)
    page.evaluate("""() => {
      window.check = document.querySelector("face-check");
      check.addEventListener("result", ({ detail: { picture, crop } }) => (window.kept = [picture, crop].map((one) => new WeakRef(one))), { once: true });
      check.start();
    }""")
    expect(page.locator("#whole-size")).to_contain_text("× 720")
    assert len(page.evaluate(SHOWN)) == 7, "three URLs, three images, the part of the page"
    page.evaluate("told.length = 0")  # which has the pictures, too
    # At once.
    assert page.evaluate(f"{end}; [({SHOWN})(), check.state]") == [[], "waiting" if "retry" in end else "stopped"]
    session = page.context.new_cdp_session(page)

    def is_collected():
        session.send("HeapProfiler.collectGarbage")
        return page.evaluate("kept.every((one) => one.deref() === undefined)")

    until(is_collected, "the end of the pictures")


def test_a_page_that_is_shown_again_starts_anew(browse, person):
    page = open_check(browse, clip=person, attributes={"autostart": "", "actions": "smile"})
    wait_for_event(page, "state", state="checking")
    page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
    assert page.evaluate("document.querySelector('face-check').state") == "stopped"
    page.evaluate("told.length = 0; dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    wait_for_event(page, "state", state="checking")


def test_the_canvas_of_a_page_without_workers_keeps_no_frame(browse, person):
    page = open_check(
        browse,
        clip=person,
        attributes={"confirm": None, "countdown": "0.5"},
        script="""
      delete window.OffscreenCanvas;
      window.canvases = [];
      const create = document.createElement;
      document.createElement = function (...name) {
        const made = create.apply(this, name);
        if (name[0] === "canvas") canvases.push(made);
        return made;
      };""",
    )
    wait_for_event(page, "result")  # so it had the person's frames
    assert (
        page.evaluate("""canvases.map((canvas) =>
      canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((value, index) => index % 4 !== 3 && value > 0))""")
        == [False]
    )


def test_repeat_starts_the_next_check(browse, person):
    page = open_check(browse, clip=person, attributes={"confirm": None, "countdown": "0.5", "repeat": "0.2"})
    page.wait_for_function("() => told.filter(({ name }) => name === 'result').length === 2")


def test_a_denied_camera_is_reported(browse, person):
    page = open_check(browse, clip=person, allowed=False)
    wait_for_event(page, "failed", code="camera_denied", recovers=False)
    expect(title(page)).to_contain_text(ENGLISH["camera_denied"])
    expect(page.locator("face-check")).to_have_js_property("state", "camera_gone")
    page.context.grant_permissions(["camera"])
    button(page, "again").click()
    wait_for_event(page, "state", state="checking")


def test_a_missing_camera_is_reported(browse):
    page = open_check(browse)
    wait_for_event(page, "failed", code="camera_missing", recovers=True)
    expect(title(page)).to_contain_text(ENGLISH["camera_missing"])


def test_a_lost_engine_and_its_return_are_reported(browse, person, stoppable_engine):
    page = open_check(browse, clip=person, attributes={"actions": "smile", "countdown": "0.5"})
    wait_for_event(page, "state", state="checking")
    stoppable_engine.stop()
    wait_for_event(page, "failed", code="engine_lost", recovers=True)
    expect(title(page)).to_contain_text(ENGLISH["engine_gone"])
    expect(page.locator("face-check")).to_have_js_property("state", "engine_gone")
    # Visitors learn nothing of the machine.
    expect(page.locator("#log")).to_contain_text("engine_lost")
    expect(page.locator("#log")).not_to_contain_text(str(stoppable_engine.folder))
    page.evaluate("told.length = 0")
    page.evaluate("document.querySelector('face-check').removeAttribute('actions')")
    stoppable_engine.start()
    expect(title(page)).to_contain_text(ENGLISH["success"])


def test_options_that_the_engine_refuses_are_reported(browse, person):
    page = open_check(browse, start=False, clip=person, attributes={"countdown": "0.5"})
    page.evaluate("""() => {
      const check = document.querySelector("face-check");
      check.options = { "max-yaw": 1000 };
      check.start();
    }""")
    wait_for_event(page, "failed", code="invalid_argument", recovers=False)
    expect(title(page)).to_contain_text(ENGLISH["failed.no_picture"])
    page.evaluate("document.querySelector('face-check').options = {}")
    button(page, "again").click()
    expect(title(page)).to_contain_text(ENGLISH["success"])


def test_stopping_releases_the_camera(browse, person):
    page = open_check(browse, clip=person, attributes={"actions": "smile"})
    wait_for_event(page, "state", state="checking")
    page.evaluate(
        "window.track = document.querySelector('face-check').shadowRoot.querySelector('video').srcObject.getTracks()[0]"
    )
    page.evaluate("document.querySelector('face-check').stop()")
    page.wait_for_function("() => track.readyState === 'ended'")
    assert page.evaluate("document.querySelector('face-check').state") == "stopped"
    expect(button(page, "start")).to_be_visible()
    page.evaluate("document.querySelector('face-check').start()")
    page.wait_for_function("() => told.filter(({ state }) => state === 'checking').length === 2")
    page.evaluate("document.querySelector('face-check').remove()")
    page.wait_for_function("() => frames_.now === 0")


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "ar", "ja"] if LONG else ["de", "ar"])
def test_every_language_is_spoken(browse, person, language):
    page = open_check(browse, clip=person, attributes={"language": language, "actions": "smile"})
    own = texts(language)
    wait_for_event(page, "tip", tip="smile", text=own["tip.smile"])
    expect(title(page)).to_contain_text(own["tip.smile"])
    check = page.locator("face-check .check")
    expect(check).to_have_attribute("lang", language)
    assert check.evaluate("(element) => getComputedStyle(element).direction") == ("rtl" if language == "ar" else "ltr")
    # This also works during a check.
    page.evaluate("document.querySelector('face-check').setAttribute('language', 'en')")
    expect(title(page)).to_contain_text(ENGLISH["tip.smile"])


@pytest.mark.parametrize("language", ["de", "fr", "es", "ar", "ja"] if LONG else ["ar"])
def test_the_page_around_it_follows_the_language(browse, language):
    page = open_check(browse, start=False)
    words = page.evaluate("async (code) => (await import('/assets/check-texts.js')).checkTexts[code]", language)

    def assert_speaks():
        page.wait_for_selector(f"html[lang={language}][dir={'rtl' if language == 'ar' else 'ltr'}]")
        assert page.title() == f"{words['title']} · FaceEngine"
        shown = page.evaluate(
            "[...document.querySelectorAll('[data-text]')].map((one) => [one.dataset.text, one.textContent])"
        )
        assert shown and all(words[key] == text for key, text in shown), shown
        labels = page.evaluate(
            "[...document.querySelectorAll('[data-label]')].map((one) => [one.dataset.label, one.ariaLabel])"
        )
        assert labels and all(words[key] == text for key, text in labels), labels
        expect(page.locator("#countdown option")).to_have_text(words["seconds"])
        expect(page.locator("#language")).to_have_value(language)
        expect(page.locator("face-check .check")).to_have_attribute("lang", language)

    page.select_option("#language", language)
    assert_speaks()
    assert_accessible(page)
    page.reload()  # the tab keeps it
    assert_speaks()
    page.evaluate("document.querySelector('face-check').setAttribute('language', 'en')")
    page.wait_for_selector("html[lang=en][dir=ltr]")
    assert page.title() == "Guided check · FaceEngine"


def test_the_component_has_all_its_texts_in_every_language():
    for language in ("de", "fr", "es", "ar", "ja"):
        assert set(texts(language)) >= set(ENGLISH), language
    tips = {key for key in ENGLISH if key.startswith("tip.") and not key.endswith(".detail")}
    assert tips and tips <= set(texts("symbols"))


def test_the_page_has_all_its_texts_in_every_language(browse):
    page = browse("/check")
    tables = page.evaluate("async () => (await import('/assets/check-texts.js')).checkTexts")
    assert set(tables) == {"en", "de", "fr", "es", "ar", "ja"}
    for language, words in tables.items():
        assert set(words) == set(tables["en"]) and set(words["token"]) == set(tables["en"]["token"]), language
        assert len(words["seconds"]) == 3
    used = page.evaluate("""['text', 'label', 'alt'].flatMap((kind) =>
      [...document.querySelectorAll(`[data-${kind}]`)].map((one) => one.dataset[kind]))""")
    assert set(used) <= set(tables["en"])


def test_a_camera_is_chosen_for_the_check(browse):
    page = open_check(browse, cameras=2)
    page.wait_for_selector("#which:not([hidden])")
    second = page.locator("#cameras option").nth(1).get_attribute("value")
    page.select_option("#cameras", second)
    page.wait_for_function(
        """(second) => document.querySelector("face-check").shadowRoot.querySelector("video").srcObject
      ?.getVideoTracks()[0].getSettings().deviceId === second""",
        arg=second,
    )
    page.reload()
    page.wait_for_selector(f'face-check[camera="{second}"]')


def test_instructions_are_announced_to_screen_readers(browse, person):
    page = open_check(browse, clip=person, attributes={"actions": "smile"})
    expect(title(page)).to_contain_text(ENGLISH["tip.smile"])
    status = page.get_by_role("status")
    expect(status).to_contain_text(ENGLISH["tip.smile"])
    expect(status).to_have_attribute("aria-live", "polite")


@pytest.mark.parametrize("device", DEVICES)
def test_accessible_and_nothing_is_cut_off(browse, person, device):
    page = open_check(
        browse,
        start=False,
        clip=person,
        size=SIZES[device],
        attributes={"actions": "smile", "timeout": "3", "countdown": "0.5"},
    )
    assert_accessible(page)
    page.evaluate("document.querySelector('face-check').start()")
    expect(title(page)).to_contain_text(ENGLISH["tip.smile"])
    assert_accessible(page)
    expect(title(page)).to_contain_text(ENGLISH["time_out"])
    assert_accessible(page)
    page.evaluate(
        "for (const name of ['actions', 'timeout']) document.querySelector('face-check').removeAttribute(name)"
    )
    expect(title(page)).to_contain_text(ENGLISH["success"])
    assert_accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    inside = page.evaluate("""() => {
      const root = document.querySelector("face-check").shadowRoot;
      const outer = root.host.getBoundingClientRect();
      return [...root.querySelectorAll(".title, .detail, button")].every((one) => {
        const { left, right, top, bottom } = one.getBoundingClientRect();
        return left >= outer.left && right <= outer.right && top >= outer.top && bottom <= outer.bottom;
      });
    }""")
    assert inside, "the component's texts and buttons are within it"


def test_the_example_of_the_documentation_works(browse, person, gateway, other_site):
    """The page of docs/page.md, as it is written there, on a site of another origin."""
    text = (ROOT / "docs/page.md").read_text()
    example, module, style = (
        re.search(rf"```{kind}\n(.*?)```", text, re.DOTALL)[1].replace("https://faces.example", gateway)
        for kind in ("html", "js", "css")
    )
    assert example.count(gateway) == 2 and "kiosk.js" in example
    other_site.files = {"/kiosk.html": ("text/html", example), "/kiosk.js": ("text/javascript", module)}
    other_site.policy = f"default-src 'none'; script-src 'self' {gateway}; connect-src 'self' {gateway}; img-src blob:"
    page = browse(clip=person)
    page.goto(f"{other_site.origin}/kiosk.html")
    start = page.get_by_role("button", name="Start")
    start.wait_for()
    page.evaluate(
        """(text) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(text);
      document.adoptedStyleSheets = [sheet];
    }""",
        style,
    )
    assert (
        page.locator("face-check").evaluate("(check) => getComputedStyle(check).backgroundColor") == "rgb(16, 35, 63)"
    )
    assert "Your Brand" in title(page).evaluate("(element) => getComputedStyle(element).fontFamily")
    with page.expect_response("**/saved"):
        start.click()
        page.get_by_role("button", name=ENGLISH["accept"]).click()
    assert other_site.posted["/saved"][:2] == b"\xff\xd8"


def test_a_language_can_be_added(browse, person):
    page = open_check(browse, start=False, clip=person)
    page.evaluate(
        """async (words) => {
      const { FaceCheck } = await import("/face-check.js");
      FaceCheck.addLanguage("nl", words);
      document.querySelector("face-check").setAttribute("language", "nl-BE");
    }""",
        {"ready": "Kom dichterbij"},
    )
    expect(title(page)).to_contain_text("Kom dichterbij")

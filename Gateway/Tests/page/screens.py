"""Pictures of the page and of the guided check, for inspection: run.py screens FOLDER."""

import os
import pathlib

import pytest

from conftest import PHOTO
from test_check import ENGLISH, button, open_check, title
from test_faces import HEIC, SIZES, count, HOLD_ANSWERS, search, twelve_faces, two_faces, wait_for_text

FOLDER = pathlib.Path(os.environ["FACE_PAGE_SCREENS"])
SCALE = {"phone": 2, "landscape": 2, "small": 2, "tablet": 1, "desktop": 1}
LOOKS = [(device, scheme) for device in SIZES for scheme in ("light", "dark")]


def look_of(device, scheme):
    touch = {"has_touch": True, "is_mobile": True} if device in ("phone", "landscape", "tablet") else {}
    return {**touch, "size": SIZES[device], "color_scheme": scheme, "device_scale_factor": SCALE[device], "reduced_motion": "reduce"}


def save(page, name):
    page.evaluate("() => document.fonts.ready.then(() => new Promise(requestAnimationFrame))")
    page.screenshot(path=FOLDER / f"{name}.png")


@pytest.mark.parametrize(("device", "scheme"), LOOKS)
def test_pictures(browse, tmp_path, device, scheme):
    page = browse(**look_of(device, scheme))
    page.wait_for_selector("#engine[data-state=ready]")
    save(page, f"page-{device}-{scheme}-empty")
    search(page, PHOTO, "1 face found")
    save(page, f"page-{device}-{scheme}-photo")
    page.evaluate("fold.ariaExpanded === 'true' || fold.click()")
    page.locator("#layer-expressions").check(force=True)
    save(page, f"page-{device}-{scheme}-expressions")
    page.locator("#layer-axes").check(force=True)
    search(page, two_faces(tmp_path), "2 faces found")
    page.locator(".face").nth(1).focus()
    save(page, f"page-{device}-{scheme}-layers")


@pytest.mark.parametrize(("device", "scheme"), LOOKS)
def test_camera(browse, people, device, scheme):
    page = browse(clip=people, **look_of(device, scheme))
    page.click("#camera")
    wait_for_text(count(page), "2 faces found")
    page.wait_for_function("() => frames_.sent > 8")
    save(page, f"page-{device}-{scheme}-camera")


@pytest.mark.parametrize(("device", "scheme"), LOOKS)
def test_states(browse, tmp_path, device, scheme):
    page = browse(script=HOLD_ANSWERS, **look_of(device, scheme))
    page.wait_for_selector("#engine[data-state=ready]")
    page.set_input_files("#file", twelve_faces(tmp_path))
    page.wait_for_function("() => window.held")
    page.wait_for_timeout(400)
    save(page, f"page-{device}-{scheme}-busy")
    page.evaluate("release()")
    wait_for_text(count(page), "12 faces found")
    save(page, f"page-{device}-{scheme}-twelve")
    page.click(".others")
    page.locator("#results").scroll_into_view_if_needed()
    save(page, f"page-{device}-{scheme}-twelve-listed")
    page.set_input_files("#file", HEIC)
    page.wait_for_function("() => window.held")
    page.evaluate("release()")
    page.wait_for_selector("#unshown:not([hidden])")
    save(page, f"page-{device}-{scheme}-heic")
    page.set_input_files("#file", {"name": "broken.jpg", "mimeType": "image/jpeg", "buffer": b"no picture"})
    page.wait_for_function("() => window.held")
    page.evaluate("release()")
    page.wait_for_selector("#notice:not([hidden])")
    save(page, f"page-{device}-{scheme}-error")


def test_without_scripts(browse):
    page = browse(java_script_enabled=False, **look_of("phone", "light"))
    page.screenshot(path=FOLDER / "page-phone-no-script.png")


def test_failures(browse, person, stoppable_engine):
    page = browse(clip=person, allowed=False, **look_of("desktop", "light"))
    page.click("#camera")
    page.wait_for_selector("#notice:not([hidden])")
    save(page, "page-denied")
    page = browse(clip=person, **look_of("desktop", "dark"))
    page.click("#camera")
    wait_for_text(count(page), "1 face found")
    stoppable_engine.stop()
    page.wait_for_selector("#engine[data-state=lost]")
    save(page, "page-lost")


@pytest.mark.parametrize(("device", "language"), [
    ("phone", "ar"), ("tablet", "ja"), ("desktop", "en"), ("landscape", "de"), ("small", "ar"), ("desktop", "ar")])
def test_check(browse, person, device, language):
    attributes = {"language": language, "actions": "smile,blink", "timeout": "8"}
    page = open_check(browse, start=False, clip=person, attributes=attributes, **look_of(device, "light"))
    name = f"check-{device}-{language}"
    save(page, f"{name}-start")
    page.evaluate("document.querySelector('face-check').start()")
    page.wait_for_selector("face-check [data-screen=action]")
    save(page, f"{name}-action")
    page.wait_for_selector("face-check [data-screen=time_out]")
    save(page, f"{name}-late")
    page.evaluate("for (const name of ['actions', 'timeout']) document.querySelector('face-check').removeAttribute(name)")
    page.wait_for_function("() => Number(document.querySelector('face-check').shadowRoot.querySelector('.badge-number').textContent) === 1"
                           " || document.querySelector('face-check').shadowRoot.querySelector('.badge-number').textContent === '١'")
    save(page, f"{name}-countdown")
    button(page, "accept").wait_for()
    page.wait_for_function("() => document.querySelector('face-check').shadowRoot.querySelector('img').complete")
    save(page, f"{name}-success")
    button(page, "accept").click()
    page.wait_for_selector("#taken:not([hidden])")
    save(page, f"{name}-saved")
    page.evaluate("document.querySelector('face-check').setAttribute('circle', '0.25,0.5,0.39')")
    page.wait_for_selector("face-check [data-screen=tip]")
    save(page, f"{name}-tip")


def test_forced_colours(browse, person):
    page = browse(forced_colors="active", **look_of("desktop", "dark"))
    search(page, PHOTO, "1 face found")
    save(page, "page-desktop-forced")
    page = open_check(browse, start=False, clip=person, forced_colors="active", **look_of("phone", "dark"))
    save(page, "check-phone-forced")


def test_check_without(browse, person):
    page = open_check(browse, clip=person, allowed=False, **look_of("desktop", "dark"))
    wait_for_text(title(page), ENGLISH["camera_denied"])
    save(page, "check-denied")

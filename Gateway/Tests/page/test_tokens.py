"""The page and <face-check> before a gateway that wants a token."""

import re
import subprocess
import sys
import urllib.request

import pytest
from playwright.sync_api import expect

from conftest import LONG, PHOTO, ROOT, status_of, until
from test_check import ENGLISH, button, open_check, title, wait_for_event
from test_faces import assert_accessible, count, search

DIALOG = ".token-dialog[open]"
WRONG = "not-the-token-of-this-test"


def enter(page, token):
    page.fill("#token", token)
    page.click(f"{DIALOG} button.primary")


def test_the_page_asks_for_a_token_and_keeps_it_for_the_tab(browse, token_gateway):
    page = browse(token_gateway.url)
    page.wait_for_selector("#engine[data-state=ready]")
    expect(page.locator(DIALOG), "nothing was called that wants one").to_be_hidden()
    page.set_input_files("#file", PHOTO)
    page.wait_for_selector(DIALOG)
    expect(page.locator("#token")).to_be_focused()
    expect(page.get_by_role("dialog", name="This gateway needs a token")).to_be_visible()
    assert_accessible(page)
    enter(page, "with blanks")
    expect(page.locator("#token-wrong")).to_contain_text("without spaces")
    enter(page, WRONG)
    expect(page.locator("#token-wrong")).to_contain_text("did not accept")
    assert_accessible(page)
    page.fill("#token", token_gateway.token)
    # An hour in which a person looks for the token is no time of the call.
    page.evaluate("() => { const real = performance.now.bind(performance); performance.now = () => real() + 3600000; }")
    page.keyboard.press("Enter")
    expect(count(page)).to_contain_text("1 face found")
    assert float(page.locator("#round-trip").text_content()) < 3600000
    token_gateway.await_called("POST /v1/detect", None, None, "kiosk")
    assert page.evaluate("Object.values(localStorage).join().includes('long-token')") is False
    page.reload()
    search(page, PHOTO, "1 face found")
    token_gateway.await_called("POST /v1/detect", None, None, "kiosk", "kiosk")


def test_the_question_for_a_token_can_be_declined(browse, token_gateway):
    page = browse(token_gateway.url)
    page.set_input_files("#file", PHOTO)
    page.wait_for_selector(DIALOG)
    page.keyboard.press("Escape")
    expect(page.locator("#notice")).to_contain_text("A token is needed")
    page.check("#accuracy input[value=low]", force=True)
    page.wait_for_selector(DIALOG)
    page.click(f"{DIALOG} button:not(.primary)")
    page.wait_for_selector(DIALOG, state="detached")
    token_gateway.await_called("POST /v1/detect", None, None)


def test_the_camera_sends_the_sessions_own_token(browse, token_gateway, person):
    page = browse(token_gateway.url, clip=person)
    page.click("#camera")
    page.wait_for_selector(DIALOG)
    enter(page, token_gateway.token)
    expect(count(page)).to_contain_text("1 face found")
    token_gateway.await_called("POST /v1/sessions", None, "kiosk")
    token_gateway.await_sessions("POST frames")
    # When it is no longer valid, there is another session, without a question to the person.
    page.evaluate("""() => {
      const released = new Promise((resolve) => (window.release = resolve));
      answering.push(async (url, text) => {
        window.held = new URL(url, location).href;
        await released;
        return text;
      });
    }""")
    page.wait_for_function("() => window.held")  # so that no frame is under way
    session = page.evaluate("held").removesuffix("/frames")
    headers = {"Authorization": f"Bearer {token_gateway.token}"}
    urllib.request.urlopen(urllib.request.Request(session, method="DELETE", headers=headers)).close()
    page.evaluate("release()")
    token_gateway.await_called("POST /v1/sessions", None, "kiosk", "kiosk")
    page.wait_for_function("(sent) => frames_.sent > sent + 3", arg=page.evaluate("frames_.sent"))
    expect(page.locator(DIALOG)).to_be_hidden()
    page.click("#camera")
    until(lambda: token_gateway.called("DELETE /v1/sessions/ID")[-1:] == ["session"], "the session is closed")


def test_the_check_asks_for_a_token_and_shows_its_pictures(browse, token_gateway, person):
    page = open_check(
        browse, url=token_gateway.url, start=False, clip=person, attributes={"countdown": "0.5", "confirm": None}
    )
    page.select_option("#language", "de")
    button(page, "start").click()
    page.get_by_role("dialog", name="Dieses Gateway verlangt ein Token").wait_for()
    enter(page, token_gateway.token)
    wait_for_event(page, "result")
    page.wait_for_selector("#taken:not([hidden])")
    expect(page.locator("#crop")).to_have_attribute("src", re.compile("^blob:"))
    token_gateway.await_sessions("POST frames", "GET picture", "GET crop")


@pytest.fixture
def foreign(browse, token_gateway, other_site):
    """Opens the component on a page of another site, whose policy lets it call the gateway."""
    html = (
        f'<!doctype html><html lang="en"><title>Check</title><script type="module" src="{token_gateway.url}/face-check.js"></script>'
        f'<face-check id="check" src="{token_gateway.url}" countdown="0.5"></face-check>'
    )
    other_site.files = {"/check.html": ("text/html", html)}
    other_site.policy = (
        f"default-src 'none'; script-src {token_gateway.url}; connect-src {token_gateway.url}; img-src blob:"
    )

    def open_component(person, script):
        page = browse(f"{other_site.origin}/check.html", clip=person)
        page.wait_for_function("() => customElements.get('face-check') !== undefined")
        page.evaluate("""() => {
          window.told = [];
          window.asked = [];
          for (const name of ["state", "tip", "result", "failed"])
            document.querySelector("face-check").addEventListener(name, ({ detail }) => told.push({ name, ...detail }));
        }""")
        page.evaluate(
            f"(token) => {{ const check = document.querySelector('face-check'); {script} }}", token_gateway.token
        )
        return page

    return open_component


def test_the_component_has_a_token(foreign, token_gateway, person):
    page = foreign(person, f"check.setAttribute('token', '{WRONG}'); check.start();")
    wait_for_event(page, "failed", code="unauthenticated", recovers=False)
    expect(title(page)).to_contain_text(ENGLISH["failed.no_picture"])
    page.evaluate("(token) => (document.querySelector('face-check').token = token)", token_gateway.token)
    expect(page.locator("face-check"), "a property is in no attribute").to_have_attribute("token", WRONG)
    button(page, "again").click()
    wait_for_event(page, "result")
    token_gateway.await_called("POST /v1/sessions", None, "kiosk")
    token_gateway.await_sessions("GET crop")


def test_credentials_give_a_token_before_each_session(foreign, token_gateway, person):
    page = foreign(
        person,
        """
      check.credentials = async (request) => {
        asked.push(request);
        return { token };
      };
      check.start();""",
    )
    wait_for_event(page, "result")
    page.evaluate("document.querySelector('face-check').retry()")
    page.wait_for_function("() => told.filter(({ name }) => name === 'result').length === 2")
    asked = page.evaluate("asked")
    assert len(asked) == 2 and asked[0]["kind"] == "check" and asked[0]["options"]["hold"] == 0.5
    token_gateway.await_called("POST /v1/sessions", "kiosk", "kiosk")


def test_credentials_that_are_of_no_use_are_reported(foreign, token_gateway, person):
    page = foreign(
        person,
        """
      check.credentials = async () => ({ key: token });
      check.start();""",
    )
    wait_for_event(page, "failed", code="invalid_argument")
    assert "return one of them" in page.evaluate("told.find(({ name }) => name === 'failed').message")
    page.evaluate(
        "() => { document.querySelector('face-check').credentials = async () => { throw new Error('the site is closed'); }; }"
    )
    button(page, "again").click()
    wait_for_event(page, "failed", code="unauthenticated", message="credentials failed: the site is closed")
    assert token_gateway.called("POST /v1/sessions") == []


@pytest.mark.parametrize("way", ["session", "token"] if LONG else ["session"])
def test_the_server_of_the_documentation_works(browse, token_gateway, person, tmp_path, way):
    """The server and the pages of docs/page.md, as they are written there."""
    text = (ROOT / "docs/page.md").read_text()
    server = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    module = next(part for part in re.findall(r"```js\n(.*?)```", text, re.DOTALL) if f'"/{way}"' in part)
    assert "https://faces.example" in server and "8000" in server
    own = server.replace("https://faces.example", token_gateway.url).replace("8000", str(token_gateway.site_port))
    (tmp_path / "server.py").write_text(own)
    (tmp_path / "token.txt").write_text(f"{token_gateway.token}\n")
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "kiosk.js").write_text(module)
    (pages / "kiosk.html").write_text(
        f'<!doctype html><html lang="en"><title>Kiosk</title><script type="module" src="{token_gateway.url}/face-check.js"></script>'
        f'<script type="module" src="kiosk.js"></script><face-check src="{token_gateway.url}" countdown="0.5"></face-check>'
    )
    with (
        open(tmp_path / "log", "w") as log,
        subprocess.Popen([sys.executable, "server.py"], cwd=tmp_path, stderr=log) as running,
    ):
        try:
            site = token_gateway.site
            until(lambda: status_of(f"{site}/kiosk.html") == 200, "the site answers")
            page = browse(f"{site}/kiosk.html", clip=person)
            page.get_by_role("button", name="Start").click()
            expect(title(page)).to_contain_text(ENGLISH["saved"])
            token_gateway.await_called("POST /v1/sessions", "kiosk")
            assert status_of(f"{site}/token.txt") == 404
            token_gateway.await_sessions("POST frames")
            if way == "session":
                assert page.evaluate(
                    "performance.getEntriesByType('resource').every(({ name }) => !name.endsWith('/v1/sessions'))"
                )
        finally:
            running.terminate()

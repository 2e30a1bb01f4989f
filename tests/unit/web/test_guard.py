"""Who is let in, from where, and what the answers allow."""

import re

import pytest
from starlette.testclient import TestClient
from window import ORIGIN, PORT, Window


def other_browser(app):
    return TestClient(app, base_url=ORIGIN, headers={"origin": ORIGIN})


def test_an_address_lets_one_browser_in_once(app, client):
    address = app.state.wizard.address()
    assert client.get(address).status_code == 200
    again = other_browser(app).get(address)
    assert again.status_code == 403
    assert "used already" in again.text


@pytest.mark.parametrize("path", ["/", "/?token=", "/?token=wrong", "/p/x/log", "/anything"])
def test_without_a_token_nobody_is_let_in(client, path):
    answer = client.get(path)
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


def test_the_cookie_is_strict_and_sent_to_our_pages_alone(app, client):
    answer = client.get(app.state.wizard.address(), follow_redirects=False)
    cookie = answer.headers["set-cookie"]
    base = app.state.wizard.base
    assert cookie.startswith(f"hushmap-{PORT}=")
    for part in ("HttpOnly", "SameSite=strict", f"Path={base}/"):
        assert part in cookie
    assert len(base) > 10
    assert re.search(r"=([\w-]{40,});", cookie)


def test_a_head_request_does_not_use_the_token_up(app, client):
    address = app.state.wizard.address()
    assert client.head(address).status_code == 403
    assert client.get(address).status_code == 200


def test_a_stolen_id_of_a_project_is_worth_nothing_to_another_browser(app, window):
    stranger = other_browser(app)
    assert stranger.get(window.url("log")).status_code == 403
    stranger.get(app.state.wizard.address())
    assert stranger.get(window.url("log")).status_code == 404
    assert stranger.get(window.url("progress")).status_code == 404


@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:80", f"0.0.0.0:{PORT}",
             f"127.0.0.1:{PORT}.evil.example", ""],
)  # fmt: skip
def test_another_host_is_refused(window, host):
    for path in (window.url("log"), f"{window.base}/assets/wizard.css", "/?token=x"):
        assert window.client.get(path, headers={"host": host}).status_code == 400


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", f"https://127.0.0.1:{PORT}", "http://127.0.0.1:1", None],
)
def test_what_another_origin_posts_is_refused(window, origin):
    window.client.headers.pop("origin")
    headers = {} if origin is None else {"origin": origin}
    answer = window.post("end", headers=headers)
    assert answer.status_code == 403
    assert window.get("log").status_code == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_another_page_asks_for_is_refused(window, site):
    assert window.get("log", headers={"sec-fetch-site": site}).status_code == 403


def test_every_form_needs_the_token_of_this_browser(app, window):
    window.weigh()
    for page in ("log", "columns", "protect", "limit", "release", "end"):
        for token in ("", "wrong", "ü"):
            if page == "log":
                files = {"file": ("a.csv", b"case,activity,timestamp\n")}
                answer = window.post(page, {"form_token": token}, files=files)
            else:
                answer = window.post(page, {"form_token": token})
            assert answer.status_code == 403, page
    assert window.client.post(f"{window.base}/invite", data={}).status_code == 403
    uploads = list(app.state.wizard.folder.path.glob("project-*/log-*"))
    assert len(uploads) == 1  # the first one; what came without the token was wiped


def test_every_page_has_a_form_token_in_every_form(window):
    window.review()
    for page in ("log", "columns", "protect", "review"):
        text = window.get(page).text
        assert text.count("<form") == text.count('name="form_token"') >= 3


def test_every_answer_is_strict(window):
    window.review()
    pages = [window.url(page) for page in ("log", "columns", "protect", "point", "progress")]
    pages += ["/", "/?token=x", f"{window.base}/nothing", f"{window.base}/assets/wizard.js"]
    for path in pages:
        headers = window.client.get(path).headers
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'self';")
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert headers["referrer-policy"] == "same-origin"
        assert headers["cross-origin-resource-policy"] == "same-origin"


def test_no_page_holds_a_script_or_style_of_its_own(window):
    window.review(annotate=["frequency", "mean"], range_kind="observed")
    for page in ("log", "columns", "protect", "review"):
        text = window.get(page).text
        assert not re.search(r"<script(?![^>]*(?:src=|application/json))", text)
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", text)
        assert not re.search(r"""(?:src|href|action)=["'](?:https?:)?//""", text)


def test_pages_of_the_bundle_are_shown_in_a_box(window):
    window.review()
    window.release()
    for name in ("map.html", "certificate.html"):
        answer = window.get(f"public/{name}")
        policy = answer.headers["content-security-policy"]
        assert "sandbox allow-scripts allow-downloads" in policy
        assert "allow-same-origin" not in policy
        assert policy.startswith("default-src 'none'")
        assert "frame-ancestors 'self'" in policy
    for name in ("report.html", "map.json", "..%2fowner%2freport.html", "%2e%2e%2fowner.zip"):
        assert window.get(f"public/{name}").status_code == 404


def test_large_and_endless_forms_are_refused(window):
    assert window.post("columns", {"case": "x" * 300_000}).status_code == 413
    headers = {"content-type": "application/x-www-form-urlencoded"}
    endless = window.client.post(
        window.url("columns"), content=(b"a=b&" for _ in range(3)), headers=headers
    )
    assert endless.status_code == 411


def test_a_defect_is_told_without_its_words(app, window, monkeypatch, capfd):
    window.upload()

    def broken(*_args):
        raise ValueError("eoD enaJ"[::-1])

    monkeypatch.setattr("hushmap.web.pages.columns._show", broken)
    answer = window.get("columns")
    assert answer.status_code == 500
    assert answer.headers["content-security-policy"].startswith("default-src 'self'")
    said = answer.text + "".join(capfd.readouterr())
    assert "Jane" not in said
    assert "ValueError" in said


def test_another_browser_gets_an_address_of_its_own_and_sees_nothing(app, window):
    window.upload()
    text = window.client.post(f"{window.base}/invite", data={"form_token": window.token}).text
    address = re.search(r"http://127\.0\.0\.1:\d+/\?token=[\w-]+", text)[0]
    second = Window(other_browser(app), address)
    assert "hospital.csv" not in second.get("log").text
    assert second.get("columns").url.path.endswith("/log")


def test_websockets_are_closed(app, client):
    from starlette.websockets import WebSocketDisconnect

    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/"):
        pass


@pytest.mark.parametrize(
    "others",
    ['settings={"theme": "dark", "x": [1]}; ', "plain; =; ", f"hushmap-{PORT}=not-ours; ", 'a="; '],
)
def test_cookies_of_other_servers_on_this_machine_do_not_shut_anybody_out(app, window, others):
    mine = f"hushmap-{PORT}={window.client.cookies[f'hushmap-{PORT}']}"
    for line in (others + mine, f"{mine}; {others}"):
        stranger = other_browser(app)
        assert stranger.get(window.url("log"), headers={"cookie": line}).status_code == 200
    assert other_browser(app).get(window.url("log"), headers={"cookie": others}).status_code == 403


def test_only_the_form_with_a_file_may_be_long(window):
    window.upload()
    files = {"file": ("a.csv", b"x" * 300_000)}
    for page in ("columns", "protect", "limit", "release", "end"):
        assert window.post(page, files=files).status_code == 413, page


def test_a_browser_too_many_is_told_so_and_its_address_stays_good(tmp_path):
    from hushmap.web.app import make_app
    from hushmap.web.limits import Limits
    from hushmap.web.private_folder import PrivateFolder

    app = make_app(PrivateFolder(tmp_path / "few"), PORT, Limits(sessions=1))
    with other_browser(app) as first:
        first.get(app.state.wizard.address())
        answer = other_browser(app).get(app.state.wizard.address())
    assert answer.status_code == 429
    assert "Too many browsers" in answer.text

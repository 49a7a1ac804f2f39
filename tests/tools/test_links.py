"""Links that lead out of the repository: their form here, and what the tool makes of an answer."""

import runpy
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

TOOL = runpy.run_path(str(Path(__file__).resolve().parents[2] / "tools" / "check_links.py"))


class Site(BaseHTTPRequestHandler):
    """Has one page, and one for those it knows."""

    def do_GET(self):
        self.send_response({"/docs": 200, "/members": 403}.get(self.path, 404))
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def site():
    server = HTTPServer(("127.0.0.1", 0), Site)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_every_link_out_is_well_formed():
    found = TOOL["links"]()

    assert any(address.startswith("https://docs.pytorch.org/") for address in found)
    assert TOOL["malformed"](found) == {}


def test_a_link_of_another_form_is_named():
    odd = ["http://pytorch.org/docs", "https://pytorch", "https://pytorch.org/docs"]

    assert set(TOOL["malformed"](odd)) == set(odd[:2])


def test_a_page_that_is_gone_is_told_from_one_that_is_there(site, monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    pages = [f"{site}/{name}" for name in ("docs#tensors", "members", "gone")]

    assert TOOL["dead"](pages) == {f"{site}/gone": "answers 404"}

"""A browser without a screen, for the wizard in this process."""

from __future__ import annotations

import re
from pathlib import Path

PORT = 4711
ORIGIN = f"http://127.0.0.1:{PORT}"


class Window:
    """One browser window on one project."""

    def __init__(self, client, address):
        self.client = client
        answer = client.get(address)
        assert answer.status_code == 200, answer.text
        self.project_url = str(answer.url).removesuffix("/log")
        self.base = self.project_url.rpartition("/p/")[0]
        self.token = re.search(r'name="form_token" value="([^"]+)"', answer.text)[1]

    def url(self, page):
        return f"{self.project_url}/{page}"

    def get(self, page, **options):
        return self.client.get(self.url(page), **options)

    def post(self, page, fields=None, **options):
        data = {"form_token": self.token, **(fields or {})}
        return self.client.post(self.url(page), data=data, **options)

    def upload(self, name="hospital.csv", content=None, **fields):
        if content is None:
            content = Path("examples/hospital.csv").read_bytes()
        return self.post("log", fields, files={"file": (name, content)})

    def settle(self):
        for _ in range(2000):
            if not self.get("progress").json()["running"]:
                return
        raise AssertionError("still at work")

    def weigh(self, **wish):
        self.upload()
        self.settle()
        answer = self.post("protect", {"annotate": ["frequency"], **wish})
        self.settle()
        return answer

    def review(self, fix="risk", value="20", **wish):
        self.weigh(**wish)
        self.post("limit", {"fix": fix, fix: value, "next": "review"})
        self.settle()
        return self.get("review")

    def release(self, **ticks):
        self.post("release", ticks or {"once": "yes"})
        self.settle()
        return self.get("release")

"""A wizard in this process: the application with its guards, and a window on it."""

import warnings

import pytest
from window import ORIGIN, PORT, Window

from hushmap.web.app import make_app
from hushmap.web.limits import Limits
from hushmap.web.private_folder import PrivateFolder

with warnings.catch_warnings():
    # Starlette's client would rather have httpx2; with httpx, which is here, it does the same.
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient


@pytest.fixture
def limits():
    return Limits(upload=1_000_000, patience=5.0)


@pytest.fixture
def app(tmp_path, limits):
    return make_app(PrivateFolder(tmp_path / "private"), PORT, limits)


@pytest.fixture
def client(app):
    with TestClient(app, base_url=ORIGIN, headers={"origin": ORIGIN}) as client:
        yield client


@pytest.fixture
def window(app, client):
    return Window(client, app.state.wizard.address())

"""Where a bearer token is found."""

import os

import pytest

from gridfarm import bearer
from gridfarm.gateway import GatewayWay

NAME = "bt_u%d" % os.geteuid()


@pytest.fixture(autouse=True)
def nothing_else(monkeypatch, tmp_path):
    for variable in ("BEARER_TOKEN", "BEARER_TOKEN_FILE", "GF_GATEWAY_TOKEN"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("X509_USER_PROXY", str(tmp_path / "none"))


def write(path, text, mode=0o600):
    path.write_text(text)
    path.chmod(mode)


def test_the_first_that_is_there_counts(monkeypatch, tmp_path):
    write(tmp_path / NAME, "of-the-session\n")
    assert bearer.find() == "of-the-session"
    write(tmp_path / "named", " of-a-file \n", 0o644)
    monkeypatch.setenv("BEARER_TOKEN_FILE", str(tmp_path / "named"))
    assert bearer.find() == "of-a-file"
    monkeypatch.setenv("BEARER_TOKEN", "direct")
    assert bearer.find() == "direct"


def test_what_others_may_touch_or_is_not_there_is_no_token(monkeypatch, tmp_path):
    write(tmp_path / NAME, "seen", 0o644)
    with pytest.raises(PermissionError, match="chmod 600"):
        bearer.find()
    monkeypatch.setenv("BEARER_TOKEN_FILE", str(tmp_path / "absent"))
    with pytest.raises(PermissionError, match="cannot be read"):  # no FileNotFoundError: that would be one of the farm
        bearer.find()


def test_it_is_looked_for_again_and_shown_by_https_alone(monkeypatch):
    secured = GatewayWay("https://gw.example.org:8480")
    for text in ("first", "renewed"):
        monkeypatch.setenv("BEARER_TOKEN", text)
        assert secured.headers({"A": "b"}) == {"A": "b", "Authorization": "Bearer " + text}
    assert GatewayWay("http://127.0.0.1:8480").headers({}) == {}
    given = GatewayWay("http://127.0.0.1:8480", token="own")
    assert given.headers({}) == {"Authorization": "Bearer own"}


def test_a_token_that_is_none_is_not_told(monkeypatch):
    monkeypatch.setenv("BEARER_TOKEN", "secret\r\nHost: x")
    with pytest.raises(PermissionError) as told:
        GatewayWay("https://gw.example.org:8480").headers({})
    assert "secret" not in str(told.value)

"""What fsspec's own tests do not ask for."""

import errno
import io
import os
import pickle
import threading
from datetime import datetime, timedelta, timezone

import fsspec
import pytest

from gridfarm import GridfarmFileSystem
from gridfarm.mount import mounts

MANY = bytes(range(256)) * 40_000  # two blocks and a half


def names(fs, path):
    return [name.rsplit("/", 1)[1] for name in fs.ls(path, detail=False)]


def test_what_is_written_is_read(fs, here):
    path = here + "/x"
    with fs.open(path, "wb") as out:
        out.write(MANY)
    assert fs.size(path) == len(MANY)
    assert fs.cat(path) == MANY
    with fs.open(path) as file:
        assert file.read(10) == MANY[:10]
        file.seek(-5, os.SEEK_END)
        assert file.read() == MANY[-5:]
        assert file.seek(5_000_000) == 5_000_000
        assert file.read(7) == MANY[5_000_000:5_000_007]
    with fs.open(path, "r", encoding="latin1", newline="") as text:
        assert len(text.read()) == len(MANY)


@pytest.mark.parametrize("cache", ["none", "readahead", "bytes", "blockcache", "all"])
def test_each_cache_reads_the_same(fs, here, cache):
    path = here + "/cached"
    fs.pipe_file(path, MANY)
    with fs.open(path, cache_type=cache, block_size=1 << 20) as file:
        for at in (0, 3, 1 << 20, 7_000_000, 10, len(MANY) - 1):
            file.seek(at)
            assert file.read(1000) == MANY[at : at + 1000]


def test_ranges(fs, here):
    path = here + "/ranges"
    fs.pipe_file(path, b"0123456789")
    assert fs.cat_file(path, 2, 5) == b"234"
    assert fs.cat_file(path, start=7) == b"789"
    assert fs.cat_file(path, start=-3) == b"789"
    assert fs.cat_file(path, end=-8) == b"01"
    assert fs.cat_file(path, 8, 99) == b"89"
    assert fs.cat_file(path, 99, 100) == b""
    assert fs.cat_ranges([path] * 3, [0, 5, 9], [1, 7, 10]) == [b"0", b"56", b"9"]
    assert fs.head(path, 2) == b"01"
    assert fs.tail(path, 2) == b"89"


def test_append_and_exclusive(fs, here):
    path = here + "/appended"
    with fs.open(path, "ab") as out:
        out.write(b"one")
    with fs.open(path, "ab") as out:
        assert out.tell() == 3
        out.write(b", two")
    assert fs.cat(path) == b"one, two"
    with pytest.raises(FileExistsError):
        fs.open(path, "xb")
    with fs.open(here + "/new", "xb") as out:
        out.write(b"x")
    with pytest.raises(NotImplementedError):
        fs.open(path, "r+b")


def test_a_file_is_seen_when_it_is_closed(fs, here):
    path = here + "/whole"
    fs.pipe_file(path, b"before")
    out = fs.open(path, "wb", block_size=1 << 20)
    out.write(MANY)
    assert fs.cat(path) == b"before"
    out.close()
    assert fs.cat(path) == MANY
    assert names(fs, here) == ["whole"]


def test_of_a_program_that_fails_nothing_is_seen(fs, here):
    path = here + "/failed"
    with pytest.raises(ZeroDivisionError):
        with fs.open(path, "wb", block_size=1 << 20) as out:
            out.write(MANY)
            1 / 0
    assert not fs.exists(path)
    for _ in range(200):
        if not names(fs, here):
            break
        threading.Event().wait(0.05)  # the gateway hears of it by the end of the connection
    assert names(fs, here) == []


def test_transactions(fs, here):
    fs.pipe_file(here + "/log", b"old,")
    with fs.transaction:
        fs.pipe_file(here + "/a", b"a")
        with fs.open(here + "/b", "wb") as out:
            out.write(MANY)
        with fs.open(here + "/log", "ab") as out:
            out.write(b"new")
        assert not fs.exists(here + "/a") and not fs.exists(here + "/b")
        assert fs.cat(here + "/log") == b"old,"
    assert fs.cat(here + "/a") == b"a" and fs.cat(here + "/b") == MANY
    assert fs.cat(here + "/log") == b"old,new"
    with pytest.raises(ZeroDivisionError):
        with fs.transaction:
            fs.pipe_file(here + "/c", b"c")
            1 / 0
    assert names(fs, here) == ["a", "b", "log"]


def test_directories(fs, here):
    fs.makedirs(here + "/p/q/r")
    fs.makedirs(here + "/p/q/r", exist_ok=True)
    with pytest.raises(FileExistsError):
        fs.makedirs(here + "/p/q/r")
    with pytest.raises(FileExistsError):
        fs.mkdir(here + "/p")
    with pytest.raises(FileNotFoundError):
        fs.mkdir(here + "/none/x", create_parents=False)
    fs.touch(here + "/p/f")
    with pytest.raises(OSError) as full:
        fs.rmdir(here + "/p")
    assert full.value.errno == errno.ENOTEMPTY
    with pytest.raises(IsADirectoryError):
        fs.rm_file(here + "/p")
    with pytest.raises(FileExistsError):
        fs.makedirs(here + "/p/f", exist_ok=True)
    with pytest.raises((FileNotFoundError, NotADirectoryError)):
        fs.info(here + "/p/f/x")
    assert not fs.exists(here + "/p/f/x")
    assert fs.isdir(here + "/p") and fs.isfile(here + "/p/f")
    fs.rmdir(here + "/p/q/r")
    fs.rm(here + "/p", recursive=True)
    assert fs.ls(here) == []


def test_looking(fs, here):
    for name in ("a/1.csv", "a/2.csv", "b/3.csv", "b/c/4.txt"):
        fs.makedirs(here + "/" + name.rsplit("/", 1)[0], exist_ok=True)
        fs.pipe_file(here + "/" + name, name.encode())
    assert [p[len(here) :] for p in fs.glob(here + "/*/*.csv")] == ["/a/1.csv", "/a/2.csv", "/b/3.csv"]
    assert len(fs.find(here)) == 4
    assert fs.du(here) == 7 * 3 + 9
    assert [p[len(here) :] for p in fs.glob(here + "/**/*.txt")] == ["/b/c/4.txt"]
    tops, directories, files = next(fs.walk(here))
    assert (tops, sorted(directories), files) == (here, ["a", "b"], [])
    assert fs.ls(here + "/a/1.csv", detail=False) == [here + "/a/1.csv"]


def test_attributes(fs, here):
    path = here + "/attributes"
    fs.pipe_file(path, b"x")
    now = datetime.now(timezone.utc)
    assert abs(fs.modified(path) - now) < timedelta(minutes=5)
    assert abs(fs.created(path) - now) < timedelta(minutes=5)
    before = fs.checksum(path)
    assert fs.checksum(path) == before
    fs.pipe_file(path, b"y")
    assert fs.checksum(path) != before
    info = fs.info(path)
    assert (info["name"], info["type"], info["size"], info["islink"]) == (path, "file", 1, False)
    earlier = fs.modified(path)
    fs.touch(path, truncate=False)
    assert fs.modified(path) >= earlier and fs.cat(path) == b"y"
    fs.touch(path)
    assert fs.cat(path) == b""


def test_moving(fs, here):
    fs.pipe_file(here + "/a", b"a")
    fs.mv(here + "/a", here + "/b")
    fs.makedirs(here + "/d")
    fs.mv(here + "/b", here + "/d")
    fs.mv(here + "/d", here + "/e")
    assert fs.find(here) == [here + "/e/b"]
    fs.cp_file(here + "/e/b", here + "/copy")
    fs.pipe_file(here + "/other", b"o")
    fs.mv(here + "/other", here + "/copy")
    assert fs.cat(here + "/copy") == b"o"
    with pytest.raises(FileNotFoundError):
        fs.mv(here + "/none", here + "/x")


@pytest.mark.parametrize("name", ["with blank", "100%", "a+b", "ä", "q?x=1&y", "#", "[x]", "\udcff"])
def test_names(fs, here, name):
    path = here + "/" + name
    fs.pipe_file(path, b"n")
    assert fs.ls(here, detail=False) == [path]
    assert fs.cat_file(path) == b"n"
    fs.rm_file(path)


def test_what_is_missing_is_said_so(fs, here):
    for call in (fs.cat_file, fs.rm_file, fs.ls, fs.info, fs.open, fs.size, fs.rmdir):
        with pytest.raises(FileNotFoundError):
            call(here + "/none")
    with pytest.raises(FileNotFoundError):
        fs.open(here + "/none/x", "wb").close()
    with pytest.raises(IsADirectoryError):
        fs.open(here)
    with pytest.raises(IsADirectoryError):
        fs.open(here, "wb").close()


def test_threads_share_it(fs, here):
    def work(number):
        for turn in range(5):
            fs.pipe_file("%s/%d-%d" % (here, number, turn), b"%d" % number)
            read.append(fs.cat_file("%s/%d-%d" % (here, number, turn)) == b"%d" % number)

    read = []
    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert read == [True] * 40


def test_it_travels_to_other_processes(fs, here):
    fs.pipe_file(here + "/x", b"x")
    assert pickle.loads(pickle.dumps(fs)).cat_file(here + "/x") == b"x"


def test_urls(fs, here, options):
    with fsspec.open("gf://" + here + "/u", "wt", **options) as out:
        out.write("by its URL")
    other, path = fsspec.core.url_to_fs("gf://" + here + "/u", **options)
    assert other.cat(path) == b"by its URL"
    assert GridfarmFileSystem._strip_protocol("gf:///a//b/") == "/a/b"
    assert GridfarmFileSystem._strip_protocol("gf://a/b") == "/a/b"
    assert GridfarmFileSystem._strip_protocol("") == "/"


def test_get_and_put(fs, here, tmp_path):
    local = tmp_path / "tree"
    (local / "sub").mkdir(parents=True)
    (local / "sub" / "f").write_bytes(MANY)
    fs.put(str(local), here + "/tree", recursive=True)
    assert fs.cat(here + "/tree/sub/f") == MANY
    fs.get(here + "/tree", str(tmp_path / "back"), recursive=True)
    assert (tmp_path / "back" / "sub" / "f").read_bytes() == MANY
    with fs.open(here + "/tree/sub/f") as file, io.BytesIO() as into:
        into.write(file.read())
        assert into.tell() == len(MANY)


def test_links(fs, here):
    mount = os.environ.get("GF_TEST_MOUNT")
    if not mount:
        pytest.skip("links are made by a mount")
    fs.pipe_file(here + "/real", b"real")
    os.symlink("real", mount + here + "/link")
    os.symlink("nowhere", mount + here + "/dangling")
    assert fs.info(here + "/link")["size"] == 4
    assert fs.info(here + "/link")["islink"]
    assert fs.cat_file(here + "/link") == b"real"
    assert {entry["name"].rsplit("/", 1)[1]: entry["type"] for entry in fs.ls(here)} == {
        "real": "file",
        "link": "file",
        "dangling": "other",
    }


# ---- the way to the farm


def test_the_way_is_chosen_in_this_order(monkeypatch, tmp_path):
    monkeypatch.delenv("GF_MOUNT", raising=False)
    monkeypatch.setenv("GF_GATEWAY", "http://127.0.0.1:1")
    table = tmp_path / "mounts"
    table.write_text("proc /proc proc rw 0 0\ngf %s/with\\040blank fuse.gf rw 0 0\n" % tmp_path)
    (tmp_path / "with blank").mkdir()
    assert mounts(str(table)) == [str(tmp_path / "with blank")]
    monkeypatch.setattr("gridfarm.filesystem.mounts", lambda: mounts(str(table)))
    new = lambda **options: str(GridfarmFileSystem(skip_instance_cache=True, **options).way)  # noqa: E731
    assert new() == "mount %s/with blank" % tmp_path
    assert new(gateway="http://127.0.0.1:2") == "gateway http://127.0.0.1:2"
    monkeypatch.setenv("GF_MOUNT", str(tmp_path))
    assert new() == "mount %s" % tmp_path
    monkeypatch.delenv("GF_MOUNT")
    monkeypatch.setattr("gridfarm.filesystem.mounts", lambda: [])
    assert new() == "gateway http://127.0.0.1:1"
    monkeypatch.delenv("GF_GATEWAY")
    with pytest.raises(ValueError, match="no farm is mounted here"):
        new()
    monkeypatch.setattr("gridfarm.filesystem.mounts", lambda: ["/a", "/b"])
    with pytest.raises(ValueError, match="/a, /b"):
        new()
    with pytest.raises(ValueError, match="not both"):
        new(mount="/a", gateway="x")
    with pytest.raises(ValueError, match="needs an address"):
        new(gateway="ftp://x")


def test_a_gateway_that_is_not_there_is_named():
    fs = GridfarmFileSystem(gateway="http://127.0.0.1:9", skip_instance_cache=True)
    with pytest.raises(OSError, match="gateway http://127.0.0.1:9 cannot be reached"):
        fs.ls("/")
    with pytest.raises(OSError, match="cannot be reached"):
        fs.open("/x", "wb").close()

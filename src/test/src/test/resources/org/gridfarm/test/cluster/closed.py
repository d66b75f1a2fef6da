"""closed.py DIR [DIR2]: says which attributes of files in DIR a close has moved: those that a program saw before it
closed the file, just after, later, and (in DIR2, the same directory through another mount) elsewhere."""

import os
import sys

SEEN = ("st_size", "st_blocks", "st_mtime_ns", "st_ctime_ns")
FILES = 60


def write(fd):
    os.write(fd, b"hello world")


def append(fd):
    os.write(fd, b"a")
    os.write(fd, b"b" * 5000)


def cut(fd):
    os.ftruncate(fd, 100)


def synced(fd):
    os.write(fd, b"kept")
    os.fsync(fd)


def mode(fd):
    os.write(fd, b"#!/bin/sh")
    os.fchmod(fd, 0o755)


def make_nothing(path):
    pass


def make_file(path):
    with open(path, "w") as file:
        file.write("what was there before")


def make_and_look(path):
    make_file(path)
    os.stat(path)


def main(directory, elsewhere):
    seen = {}
    for before in make_nothing, make_file, make_and_look:
        for change in write, append, cut, synced, mode:
            for i in range(FILES):
                name = f"{before.__name__}-{change.__name__}-{i}"
                path = os.path.join(directory, name)
                before(path)
                fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
                change(fd)
                open_still = os.fstat(fd)
                os.close(fd)
                seen[name] = [("open", open_still), ("closed", os.stat(path))]
    for name, looks in seen.items():
        looks.append(("later", os.stat(os.path.join(directory, name))))
        if elsewhere:
            looks.append(("elsewhere", os.stat(os.path.join(elsewhere, name))))
        first = looks[0][1]
        for when, look in looks[1:]:
            for what in SEEN:
                if getattr(look, what) != getattr(first, what):
                    print(f"{name}: {what} {getattr(first, what)} while open, {when} {getattr(look, what)}")


main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None)

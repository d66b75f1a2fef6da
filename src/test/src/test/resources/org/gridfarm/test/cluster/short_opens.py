"""Opens, does one thing or two, closes; over and over, as it is told line by line, and tells what it saw.

    short_opens.py DIRECTORY

A line is a call: its name, a file, another file, a place, a length, a number that the bytes are made of. The answer is one line.
"""

import errno
import mmap
import os
import sys
import zlib


def made(length, number):
    line = b"%08d\n" % number
    return (line * (length // len(line) + 1))[:length]


def told(fd):
    return "at %d of %d" % (os.lseek(fd, 0, os.SEEK_CUR), os.fstat(fd).st_size)


class Opened:
    def __init__(self, path, flags):
        self.fd = os.open(path, flags, 0o644)

    def __enter__(self):
        return self.fd

    def __exit__(self, *_):
        os.close(self.fd)


def append(path, other, place, length, number):
    with Opened(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT) as fd:
        os.write(fd, made(length, number))
        return told(fd)


def appendtwice(path, other, place, length, number):
    with Opened(path, os.O_WRONLY | os.O_APPEND) as fd:
        os.write(fd, made(length, number))
        os.write(fd, made(3, number + 1))
        return told(fd)


def two(path, other, place, length, number):
    """The first is closed while the second is open, which appends then."""
    second = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
    append(path, other, place, length, number)
    try:
        os.write(second, made(length, number + 1))
        return told(second)
    finally:
        os.close(second)


def put(path, other, place, length, number):
    with Opened(path, os.O_WRONLY) as fd:
        os.pwrite(fd, made(length, number), place)
        return told(fd)


def grow(path, other, place, length, number):
    """As a program that looks for the end itself."""
    with Opened(path, os.O_RDWR | os.O_CREAT) as fd:
        os.lseek(fd, 0, os.SEEK_END)
        os.write(fd, made(length, number))
        return told(fd)


def new(path, other, place, length, number):
    with Opened(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) as fd:
        os.write(fd, made(length, number))
        return told(fd)


def exclusive(path, other, place, length, number):
    with Opened(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as fd:
        os.write(fd, made(length, number))
        return told(fd)


def truncate(path, other, place, length, number):
    os.truncate(path, place)
    return stat(path, other, place, length, number)


def ftruncate(path, other, place, length, number):
    with Opened(path, os.O_WRONLY) as fd:
        os.ftruncate(fd, place)
        return told(fd)


def cutandappend(path, other, place, length, number):
    os.truncate(path, place)
    return append(path, other, place, length, number)


def mapped(path, other, place, length, number):
    with Opened(path, os.O_RDWR) as fd:
        size = os.fstat(fd).st_size
        if size == 0:
            return "empty"
        with mmap.mmap(fd, size) as there:
            there[place % size] = 65 + number % 26
    with Opened(path, os.O_WRONLY | os.O_APPEND) as fd:
        os.write(fd, made(length, number))
        return told(fd)


def copy(path, other, place, length, number):
    with Opened(path, os.O_RDONLY) as source, Opened(other, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) as target:
        while piece := os.read(source, 65536):
            os.write(target, piece)
        return told(target)


def read(path, other, place, length, number):
    with Opened(path, os.O_RDONLY) as fd:
        content = b""
        while piece := os.read(fd, 1 << 20):
            content += piece
        return "%d bytes, %08x" % (len(content), zlib.crc32(content))


def sorted_lines(path, other, place, length, number):
    with open(path) as file:
        return "|".join(sorted(file.read().splitlines()))


def stat(path, other, place, length, number):
    return "size %d" % os.stat(path).st_size


def rename(path, other, place, length, number):
    os.rename(path, other)
    return stat(other, path, place, length, number)


def unlink(path, other, place, length, number):
    os.unlink(path)
    return "gone"


def lines(path, other, place, length, number):
    """So many appends, each by an open of its own."""
    for i in range(length):
        with Opened(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT) as fd:
            os.write(fd, b"%04d %04d\n" % (number, i))
    return "done"


def main():
    directory = sys.argv[1]
    for line in sys.stdin:
        call, path, other, place, length, number = line.split()
        try:
            answer = globals()[call](
                os.path.join(directory, path), os.path.join(directory, other), int(place), int(length), int(number))
        except OSError as e:
            answer = errno.errorcode.get(e.errno, str(e.errno))
        print(answer, flush=True)


main()

# Asks for more than a disk can hold, between calls that it can carry out, and says what came of each.
import errno
import os
import sys
import time

directory = sys.argv[1]


def call(what, run):
    began = time.monotonic()
    try:
        result = run()
    except OSError as failure:
        result = errno.errorcode[failure.errno]
    late = "" if time.monotonic() - began < 5 else ", too late"
    print(f"{what}: {result}{late}")


def reserve(file, size):
    try:
        os.posix_fallocate(file, 0, size)
        return "done"
    except OSError as failure:
        # Which of the two is told depends on what is looked at first.
        return "refused" if failure.errno in (errno.EFBIG, errno.ENOSPC) else errno.errorcode[failure.errno]


def use(kind, path, flags):
    file = os.open(path, flags, 0o644)
    for round in range(4):
        call(f"{kind}: write", lambda: os.pwrite(file, b"x" * 100, 50))
        call(f"{kind}: write far", lambda: os.pwrite(file, b"x" * 100, 2**62))
        call(f"{kind}: make long", lambda: os.ftruncate(file, 2**62))
        call(f"{kind}: reserve far", lambda: reserve(file, 2**62))
        call(f"{kind}: sync", lambda: os.fsync(file))
        call(f"{kind}: read", lambda: len(os.pread(file, 1000, 0)))
    call(f"{kind}: close", lambda: os.close(file))
    call(f"{kind}: make long by name", lambda: os.truncate(path, 2**62))
    call(f"{kind}: size", lambda: os.stat(path).st_size)


name = os.path.join(directory, "far")
use("new", name, os.O_RDWR | os.O_CREAT)
use("old", name, os.O_RDWR)
other = os.path.join(directory, "untouched")
file = os.open(other, os.O_RDWR | os.O_CREAT, 0o644)
call("untouched: make long", lambda: os.ftruncate(file, 2**62))
call("untouched: close", lambda: os.close(file))
call("untouched: size", lambda: os.stat(other).st_size)

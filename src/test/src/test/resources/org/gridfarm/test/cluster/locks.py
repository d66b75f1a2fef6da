"""locks.py DIR: which locks end with which close: those of processes (F_SETLK), of open files (F_OFD_SETLK) and of flock(2). Says what the
next who tries is told, so that two file systems can be compared."""
import errno
import fcntl
import os
import struct
import sys

OFD_SETLK, OFD_SETLKW = 37, 38
ROUNDS = 8


def lock(f, kind, command=OFD_SETLK, start=0, length=0):
    try:
        fcntl.fcntl(f, command, struct.pack("hhqqi4x", kind, os.SEEK_SET, start, length, 0))
        return "locked"
    except OSError as e:
        return errno.errorcode[e.errno]


def flocked(f, how):
    try:
        fcntl.flock(f, how | fcntl.LOCK_NB)
        return "locked"
    except OSError as e:
        return errno.errorcode[e.errno]


def opened():
    return os.open("f", os.O_RDWR | os.O_CREAT, 0o600)


def in_child(work):
    child = os.fork()
    if child == 0:
        said = work()
        sys.stdout.flush()
        os._exit(0 if said == "locked" else 1)
    return "locked" if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0 else "refused"


def said():
    """One round."""
    f, g = opened(), opened()
    yield "of the open file", lock(f, fcntl.F_WRLCK)
    yield "by another open file", lock(g, fcntl.F_WRLCK)
    yield "elsewhere", lock(g, fcntl.F_WRLCK, OFD_SETLK, 100, 10) if lock(f, fcntl.F_UNLCK, OFD_SETLK, 100, 10) == "locked" else "?"
    copy = os.dup(f)
    os.close(f)
    yield "one of two descriptors is closed", lock(g, fcntl.F_WRLCK)
    yield "and in another process", in_child(lambda: lock(opened(), fcntl.F_WRLCK))
    os.close(copy)
    yield "both are closed", lock(g, fcntl.F_WRLCK)
    os.close(g)
    f = opened()
    yield "opened again", lock(f, fcntl.F_WRLCK)
    in_child(lambda: (os.close(f), "locked")[1])
    yield "a child closed its copy", in_child(lambda: lock(opened(), fcntl.F_RDLCK))
    os.close(f)
    in_child(lambda: lock(opened(), fcntl.F_WRLCK))
    g = opened()
    yield "a child had it and is gone", lock(g, fcntl.F_WRLCK)
    os.close(g)
    f, g = opened(), opened()
    yield "of the process", lock(f, fcntl.F_WRLCK, fcntl.F_SETLK)
    yield "against the open file's", lock(g, fcntl.F_WRLCK)
    os.close(g)
    yield "any of its descriptors is closed", in_child(lambda: lock(opened(), fcntl.F_WRLCK))
    yield "locked again", lock(f, fcntl.F_WRLCK, fcntl.F_SETLK)
    g = opened()
    os.close(f)
    yield "by way of another", lock(g, fcntl.F_WRLCK, fcntl.F_SETLK)
    yield "stays though the first is closed", in_child(lambda: lock(opened(), fcntl.F_WRLCK))
    os.close(g)
    f, g = opened(), opened()
    yield "flock", flocked(f, fcntl.LOCK_EX)
    yield "flock by another", flocked(g, fcntl.LOCK_SH)
    os.close(f)
    yield "flock after close", flocked(g, fcntl.LOCK_EX)
    os.close(g)


os.chdir(sys.argv[1])
seen = {}
for _ in range(ROUNDS):
    for what, came in said():
        seen[what, came] = seen.get((what, came), 0) + 1
for (what, came), times in seen.items():
    print(f"{what}: {came}, {times} times")

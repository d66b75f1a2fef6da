"""signals.py DIR: calls on files while a signal comes every half millisecond that the program handles, and that restarts nothing; says
which of them were interrupted, which on a local disk none is. (Python's own calls hide it: they begin again.)"""
import ctypes
import errno
import os
import signal
import sys
import time

BLOCK = 1 << 18
libc = ctypes.CDLL(None, use_errno=True)
buffer = ctypes.create_string_buffer(b"x" * BLOCK, BLOCK)
interrupted = {}
signals = 0


def call(name, *arguments):
    result = getattr(libc, name)(*arguments)
    if result < 0:
        why = errno.errorcode[ctypes.get_errno()]
        interrupted[f"{name}: {why}"] = interrupted.get(f"{name}: {why}", 0) + 1
    return result


def count(*_):
    global signals
    signals += 1


os.chdir(sys.argv[1])
for i in range(20):
    with open(f"f{i}", "wb") as f:
        f.write(os.urandom(BLOCK))
signal.signal(signal.SIGALRM, count)
signal.siginterrupt(signal.SIGALRM, True)
signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
end = time.monotonic() + 3
while time.monotonic() < end:
    for i in range(20):
        name = b"f%d" % i
        f = call("open", name, os.O_RDWR)
        for at in range(4):
            call("pread", f, buffer, BLOCK // 4, ctypes.c_long(at * BLOCK // 4))
        call("pwrite", f, buffer, 4096, ctypes.c_long(4096 * i))
        call("fstat", f, buffer)
        call("fsync", f)
        call("close", f)
        call("rename", name, b"moved")
        call("rename", b"moved", name)
signal.setitimer(signal.ITIMER_REAL, 0)
print("many signals" if signals > 100 else f"{signals} signals only")
print(dict(sorted(interrupted.items())))

#!/usr/bin/env python3
"""load.py DIRECTORY: works in a directory of a mount until its standard input ends, and ends with an error at the first call that fails
or that gives what it must not. Each worker has a directory of its own; a number of calls is printed each second, as a sign of life."""
import os
import random
import sys
import threading
import time

ROOT = sys.argv[1]
ended = threading.Event()
failures = []
calls = 0
longest = (0.0, "")
counting = threading.Lock()


def call(what, function, *words):
    global calls, longest
    begun = time.monotonic()
    result = function(*words)
    took = time.monotonic() - begun
    with counting:
        calls += 1
        longest = max(longest, (took, f"{what} {words[0] if words else ''}"))
    return result


def written(path, content, synced):
    with open(path, "wb") as file:
        file.write(content)
        if synced:
            file.flush()
            os.fsync(file.fileno())


def read(path):
    with open(path, "rb") as file:
        return file.read()


def expect(what, found, wanted):
    if found == wanted:
        return
    if not isinstance(found, bytes) or len(found) != len(wanted):
        raise AssertionError(f"{what}: {found!r:.80} ({len(found)}) instead of {wanted!r:.80} ({len(wanted)})")
    others = [at for at in range(len(wanted)) if found[at] != wanted[at]]
    raise AssertionError(f"{what}: {len(others)} of {len(wanted)} bytes are others, from {others[0]} to {others[-1]}")


def files(place, draw):
    """New files of some KiB, read, renamed, changed and removed; what stays is read again at the end."""
    known = {}
    for number in range(1_000_000):
        if ended.is_set():
            break
        name = f"{place}/{number}"
        content = draw.randbytes(draw.randrange(1, 20_000))
        call("write", written, name, content, number % 4 == 0)
        expect(name, call("read", read, name), content)
        if number % 3 == 0:
            call("rename", os.rename, name, name + ".moved")
            name += ".moved"
        known[name] = content
        if len(known) > 200:
            gone = draw.choice(sorted(known))
            call("unlink", os.unlink, gone)
            del known[gone]
        seen = draw.choice(sorted(known))
        expect(seen, call("read", read, seen), known[seen])
    expect(place, sorted(f"{place}/{name}" for name in os.listdir(place)), sorted(known))
    for name, content in known.items():
        expect(name, call("read", read, name), content)


def lines(place, draw):
    """A line at a time, by an open of its own, as logs of jobs are written."""
    name, wanted = place + "/log", b""
    while not ended.is_set():
        line = b"%d %d\n" % (len(wanted), draw.randrange(1 << 40))

        def append():
            with open(name, "ab") as file:
                file.write(line)

        call("append", append)
        wanted += line
        time.sleep(0.01)
    expect(name, read(name), wanted)


def kept(place, draw):
    """One file that is open all the time, written and read here and there, beside what it should be."""
    size = 1 << 20
    beside = bytearray(size)
    name = place + "/kept"
    with open(name, "w+b", buffering=0) as file:
        file.truncate(size)
        while not ended.is_set():
            at, piece = draw.randrange(size - 5_000), draw.randbytes(draw.randrange(1, 5_000))
            call("pwrite", os.pwrite, file.fileno(), piece, at)
            beside[at : at + len(piece)] = piece
            at = draw.randrange(size - 5_000)
            expect(f"{name} at {at}", call("pread", os.pread, file.fileno(), 5_000, at), bytes(beside[at : at + 5_000]))
            if draw.randrange(20) == 0:
                call("fsync", os.fsync, file.fileno())
            time.sleep(0.005)
    expect(name, read(name), bytes(beside))


def work(worker, place, seed):
    try:
        os.makedirs(place)
        worker(place, random.Random(seed))
    except (OSError, AssertionError) as failure:
        failures.append(f"{worker.__name__}: {failure}")
        ended.set()


def tell():
    while not ended.wait(1):
        print(calls, flush=True)


def hear():
    sys.stdin.read()
    ended.set()


workers = [
    threading.Thread(target=work, args=(worker, f"{ROOT}/{worker.__name__}", seed))
    for seed, worker in enumerate((files, lines, kept))
]
for thread in workers:
    thread.start()
for talk in (tell, hear):
    threading.Thread(target=talk, daemon=True).start()
for thread in workers:
    thread.join()
print(f"{calls} calls; the longest took {longest[0]:.1f} s: {longest[1]}", flush=True)
for failure in failures:
    print(failure, file=sys.stderr)
sys.exit(1 if failures else 0)

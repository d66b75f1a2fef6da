"""reopened.py DIR ROUNDS: new files are closed and opened again at once, in several ways, and written; says what sizes and contents were
seen, once each, so that two file systems can be compared."""
import mmap
import os
import sys

ROUNDS = int(sys.argv[2])
BLOCK = 8192


def sizes(*files):
    return {os.lseek(f, 0, os.SEEK_END) for f in files} | {os.fstat(f).st_size for f in files}


def content(path):
    with open(path, "rb") as f:
        data = f.read()
    return f"{len(data)} bytes of {sorted(set(data))}, stat {os.stat(path).st_size}"


def empty_first(path, flags):
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL))
    f = os.open(path, flags)
    seen = [sizes(f)]
    os.pwrite(f, b"x" * BLOCK, 0)
    seen.append(sizes(f))
    os.close(os.open(path + "_map", os.O_RDWR | os.O_CREAT))
    seen.append(sizes(f))
    os.pwrite(f, b"y" * BLOCK, BLOCK)
    seen.append(sizes(f))
    os.close(f)
    return f"{seen} {content(path)}"


def written_first(path, flags):
    f = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL)
    os.pwrite(f, b"x" * BLOCK, 0)
    os.close(f)
    f = os.open(path, flags)
    seen = [sizes(f)]
    os.pwrite(f, b"y" * BLOCK, BLOCK)
    seen.append(sizes(f))
    os.close(f)
    return f"{seen} {content(path)}"


def opened_twice(path, flags):
    a = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL)
    b = os.open(path, flags | os.O_CREAT)
    os.pwrite(a, b"x" * BLOCK, 0)
    seen = [sizes(a, b)]
    os.pwrite(b, b"y" * BLOCK, BLOCK)
    seen.append(sizes(a, b))
    os.close(a)
    os.pwrite(b, b"z" * BLOCK, 2 * BLOCK)
    seen.append(sizes(b))
    os.close(b)
    return f"{seen} {content(path)}"


def mapped(path, flags):
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL))
    f = os.open(path, os.O_RDWR)
    os.ftruncate(f, BLOCK)
    with mmap.mmap(f, BLOCK) as m:
        os.close(f)
        m[:] = b"m" * BLOCK
        again = os.open(path, flags)
        seen = [sizes(again)]
        os.pwrite(again, b"w", 1)
        seen.append(chr(m[1]))
        os.close(again)
    return f"{seen} {content(path)}"


def linked(path, flags):
    a = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL)
    os.pwrite(a, b"x" * BLOCK, 0)
    b = os.open(path, flags)
    os.link(path, path + "-l")
    try:
        copied = os.copy_file_range(a, a, 1, 0, 0)
    except OSError as e:
        copied = e.strerror
    seen = [copied, sizes(a, b), os.stat(path + "-l").st_size]
    os.close(b)
    os.close(a)
    return f"{seen} {content(path)}"


WAYS = {"read and write": os.O_RDWR, "write": os.O_WRONLY, "append": os.O_RDWR | os.O_APPEND}
os.chdir(sys.argv[1])
for case in empty_first, written_first, opened_twice, mapped, linked:
    for way, flags in WAYS.items():
        seen = {}
        for i in range(ROUNDS):
            name = f"{case.__name__}-{flags}-{i}"
            said = case(name, flags)
            seen[said] = seen.get(said, 0) + 1
        for said, times in seen.items():
            print(f"{case.__name__}, {way}: {said}: {times} times")

"""stored.py DIR: stores into mappings of files, and says what stat tells at once of their times, so that two file systems can be
compared. The files are so long that the kernel may write their replicas itself."""
import mmap
import os
import sys

LONG_AGO = 10**18  # nanoseconds since 1970


def aged(path):
    os.utime(path, ns=(LONG_AGO, LONG_AGO))


def made(path, size):
    with open(path, "wb") as f:
        f.write(b"x" * size)
    aged(path)
    return os.open(path, os.O_RDWR)


def told(path, f=None):
    """Whether the store shows, and whether all ways to ask say the same."""
    seen = os.stat(path)
    moved = ("mtime " if seen.st_mtime_ns != LONG_AGO else "") + ("in order" if seen.st_ctime_ns >= seen.st_mtime_ns else "")
    if f is not None:
        again = os.fstat(f)
        moved += " same" if (again.st_mtime_ns, again.st_ctime_ns) == (seen.st_mtime_ns, seen.st_ctime_ns) else " other"
    listed = [e.stat().st_mtime_ns for e in os.scandir(os.path.dirname(path)) if e.name == os.path.basename(path)]
    return moved + (" listed" if listed == [seen.st_mtime_ns] else f" listed as {listed}, not {seen.st_mtime_ns}")


def plain(path, f, m):
    m[0:1] = b"s"
    return told(path, f)


def only_read(path, f, m):
    bytes(m)
    return told(path, f)


def again(path, f, m):
    m[0:1] = b"s"
    m.flush()
    aged(path)
    m[1:2] = b"t"
    return told(path, f)


def set_after(path, f, m):
    m[0:1] = b"s"
    aged(path)
    first = told(path, f)
    m.close()
    os.close(os.dup(f))
    return first + ", unmapped: " + told(path, f)


def synced(path, f, m):
    m[0:1] = b"s"
    m.flush()
    first = told(path, f)
    before = os.stat(path).st_mtime_ns
    m.close()
    return f"{first}, unmapped: {'stays' if os.stat(path).st_mtime_ns == before else 'moves'}"


def unmapped(path, f, m):
    m[0:1] = b"s"
    m.close()
    return told(path, f)


def beside_a_reader(path, f, m):
    with open(path, "rb") as reader:
        reader.read(1)
        m[0:1] = b"s"
        return told(path, f)


def written_after(path, f, m):
    """Within a tick of the kernel's clock."""
    aged(path)
    os.pwrite(f, b"w", 0)
    return f"{told(path, f)}, {chr(m[0])}"


def two_mappings(path, f, m):
    with mmap.mmap(f, 0) as other:
        m[0:1] = b"s"
        first = told(path, f)
        aged(path)
        other[0:1] = b"t"
        return f"{first}, {told(path, f)}, {chr(m[0])}"


def closed_before(path, f, m):
    os.close(f)
    m[0:1] = b"s"
    return told(path)


os.chdir(sys.argv[1])
for size in 65_536, 300_000:
    for case in plain, only_read, again, set_after, synced, unmapped, beside_a_reader, written_after, two_mappings, closed_before:
        path = os.path.abspath(f"{case.__name__}-{size}")
        f = made(path, size)
        m = mmap.mmap(f, 0)
        print(f"{case.__name__}, {size}: {case(path, f, m)}")
        if not m.closed:
            m.close()
        if case is not closed_before:
            os.close(f)
        before = os.stat(path)
        print(f"  closed: {before.st_size} bytes, begin with {open(path, 'rb').read(3)}")

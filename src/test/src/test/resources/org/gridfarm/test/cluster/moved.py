"""moved.py DIR: says of many calls which attributes of a file and of its directory they move, and which the close after
them, so that two file systems can be compared."""

import ctypes
import errno
import fcntl
import mmap
import os
import stat
import sys
import time

LIBC = ctypes.CDLL(None, use_errno=True)
TIMES = ("atime", "st_atime_ns"), ("mtime", "st_mtime_ns"), ("ctime", "st_ctime_ns")
COUNTS = ("size", "st_size"), ("nlink", "st_nlink"), ("mode", "st_mode"), ("blocks", "st_blocks"), ("uid", "st_uid")
AT_FDCWD, AT_SYMLINK_FOLLOW = -100, 0x400
NOREPLACE, EXCHANGE, WHITEOUT = 1, 2, 4
GRAIN = 0.012  # seconds in which the clock of any file system here moves
directories = iter(f"d{i}" for i in range(1, 1000))


def look(path):
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None


def moved(a, b):
    if a is None or b is None:
        return "nothing" if a is b else "made" if a is None else "gone"
    if a.st_ino != b.st_ino:
        return "another"
    told = [name for name, field in TIMES if getattr(a, field) != getattr(b, field)]
    for name, field in COUNTS:
        counts = not stat.S_ISDIR(a.st_mode) or name not in ("size", "blocks")
        if counts and getattr(a, field) != getattr(b, field):
            told.append(f"{name} {getattr(a, field)} to {getattr(b, field)}")
    return " ".join(told) or "-"


def all_moved(names, before, after):
    return "; ".join(f"{name}: {moved(a, b)}" for name, a, b in zip(names, before, after))


def step(what, call, *names, prepare=None):
    """call(d, f) works on the file f of the directory d; a descriptor that it returns is closed then."""
    d = next(directories)
    f = d + "/f"
    os.mkdir(d)
    with open(f, "wb") as file:
        file.write(b"x" * 10000)
    if prepare:
        prepare(d)
    names = ("f", ".") + names
    paths = [f"{d}/{name}" for name in names]
    for path in paths:
        look(path)
    time.sleep(GRAIN)
    before = [look(path) for path in paths]
    fd = None
    try:
        fd = call(d, f)
    except OSError as failure:
        what += " " + errno.errorcode.get(failure.errno, str(failure.errno))
    after = [look(path) for path in paths]
    print(f"{what}: {all_moved(names, before, after)}")
    if isinstance(fd, int):
        os.close(fd)
        closed = [look(path) for path in paths]
        if any(moved(a, b) not in ("-", "nothing") for a, b in zip(after, closed)):
            print(f"  its close: {all_moved(names, after, closed)}")


def on(call, flags=os.O_RDWR):
    def run(d, f):
        fd = os.open(f, flags)
        call(fd)
        return fd

    return run


def quiet(call):
    def run(d, f):
        call(d, f)

    return run


def shell(command):
    def run(d, f):
        os.system(command.format(d=d, f=f))

    return run


def also(name, flags=os.O_CREAT):
    return lambda d: os.close(os.open(f"{d}/{name}", flags))


def open_empty(d):
    """A new file, whose descriptor is left open."""
    os.unlink(d + "/f")
    return os.open(d + "/f", os.O_CREAT | os.O_WRONLY, 0o644)


def new_empty(d):
    os.unlink(d + "/f")
    open(d + "/f", "x").close()


def directory(name):
    return lambda d: os.makedirs(f"{d}/{name}")


def checked(result, call):
    if result != 0:
        raise OSError(ctypes.get_errno(), call)


def fallocate(mode, offset, length):
    return on(lambda fd: checked(LIBC.fallocate(fd, mode, ctypes.c_long(offset), ctypes.c_long(length)), "fallocate"))


def renamed(flags, to):
    def run(d, f):
        checked(LIBC.renameat2(AT_FDCWD, f.encode(), AT_FDCWD, f"{d}/{to}".encode(), flags), "renameat2")

    return run


def opens_and_writes():
    step("open for writing", on(lambda fd: None))
    step("write of nothing", on(lambda fd: os.write(fd, b"")))
    step("write", on(lambda fd: os.write(fd, b"y")))
    step("append", on(lambda fd: os.write(fd, b"y"), os.O_WRONLY | os.O_APPEND))
    step("fsync alone", on(os.fsync))
    step("O_TRUNC", on(lambda fd: None, os.O_WRONLY | os.O_TRUNC))
    step("O_TRUNC of an empty file", on(lambda fd: None, os.O_WRONLY | os.O_TRUNC), prepare=lambda d: os.truncate(d + "/f", 0))
    step("O_TRUNC of a new empty file", on(lambda fd: None, os.O_WRONLY | os.O_TRUNC), prepare=new_empty)
    step("O_TRUNC of an empty file that is open", on(lambda fd: None, os.O_WRONLY | os.O_TRUNC), prepare=open_empty)
    step("ftruncate 0 of a new empty file", on(lambda fd: os.ftruncate(fd, 0), os.O_WRONLY | os.O_APPEND), prepare=new_empty)
    step("truncate of an empty file that is open", quiet(lambda d, f: os.truncate(f, 0)), prepare=open_empty)
    step("utime of an empty file that is open", quiet(lambda d, f: os.utime(f, ns=(5, 7))), prepare=open_empty)
    step("O_CREAT of an existing file", on(lambda fd: None, os.O_WRONLY | os.O_CREAT))
    step("O_CREAT", lambda d, f: os.open(d + "/n", os.O_CREAT | os.O_RDWR), "n")
    step("O_EXCL refused", lambda d, f: os.open(f, os.O_CREAT | os.O_EXCL | os.O_RDWR))
    step("read", on(lambda fd: os.read(fd, 10), os.O_RDONLY))
    step("flock", on(lambda fd: fcntl.flock(fd, fcntl.LOCK_EX)))
    step("mapping written", on(write_mapping))
    step("copy_file_range", copy_range, "t")
    step("sendfile", send_file, "t")
    for size in (10000, 5000, 20000, 0):
        step(f"ftruncate {size}", on(lambda fd: os.ftruncate(fd, size)))
        step(f"truncate {size}", quiet(lambda d, f: os.truncate(f, size)))
    for name, mode in (("allocate", 0), ("in reserve", 1), ("punch", 3), ("zero", 16), ("zero, keep the size", 17)):
        for offset, length in ((0, 4096), (4096, 1 << 20), (8192, 100)):
            step(f"fallocate {name} {offset} {length}", fallocate(mode, offset, length))
    step("fallocate of nothing", fallocate(0, 0, 0))
    setuid = lambda d: (os.chmod(d, 0o777), os.chmod(d + "/f", 0o6777))
    step("write by who does not own it", shell("setpriv --reuid 1234 --clear-groups sh -c 'printf x >>{f}'"), prepare=setuid)
    step("truncate by who does not own it", shell("setpriv --reuid 1234 --clear-groups truncate -s 5 {f}"), prepare=setuid)


def write_mapping(fd):
    with mmap.mmap(fd, 4096) as mapping:
        mapping[0] = 1
        mapping.flush()


def copy_range(d, f):
    to = os.open(d + "/t", os.O_RDWR | os.O_CREAT)
    with open(f, "rb") as source:
        os.copy_file_range(source.fileno(), to, 5000)
    return to


def send_file(d, f):
    to = os.open(d + "/t", os.O_RDWR | os.O_CREAT)
    with open(f, "rb") as source:
        os.sendfile(to, source.fileno(), 0, 5000)
    return to


def attributes():
    step("chmod", quiet(lambda d, f: os.chmod(f, 0o600)))
    step("chmod to the same", quiet(lambda d, f: os.chmod(f, 0o644)))
    step("fchmod", on(lambda fd: os.fchmod(fd, 0o600)))
    step("chmod of a directory", quiet(lambda d, f: os.chmod(d, 0o700)))
    step("chown", quiet(lambda d, f: os.chown(f, 1234, -1)))
    step("chown to the same", quiet(lambda d, f: os.chown(f, os.getuid(), os.getgid())))
    step("chown of a setuid file", quiet(lambda d, f: os.chown(f, 1234, -1)), prepare=lambda d: os.chmod(d + "/f", 0o4755))
    step("utime now", quiet(lambda d, f: os.utime(f)))
    step("utime", quiet(lambda d, f: os.utime(f, ns=(5, 7))))
    step("utime of a directory", quiet(lambda d, f: os.utime(d, ns=(3, 4))))
    step("touch -a", shell("touch -a {f}"))
    step("touch -m", shell("touch -m {f}"))
    step("futimens, write", on(lambda fd: (os.utime(fd, ns=(5, 7)), os.write(fd, b"z"))))
    step("write, futimens", on(lambda fd: (os.write(fd, b"z"), os.utime(fd, ns=(5, 7)))))
    marked = lambda d: os.setxattr(d + "/f", "user.a", b"1")
    step("setxattr", quiet(lambda d, f: os.setxattr(f, "user.a", b"1")))
    step("setxattr anew", quiet(lambda d, f: os.setxattr(f, "user.a", b"2")), prepare=marked)
    step("XATTR_CREATE refused", quiet(lambda d, f: os.setxattr(f, "user.a", b"1", os.XATTR_CREATE)), prepare=marked)
    step("removexattr", quiet(lambda d, f: os.removexattr(f, "user.a")), prepare=marked)
    step("removexattr of none", quiet(lambda d, f: os.removexattr(f, "user.a")))
    step("listxattr", quiet(lambda d, f: os.listxattr(f)))
    step("setfacl", shell("setfacl -m u:1234:r {f}"))
    step("setfacl of a directory", shell("setfacl -d -m u:1234:r {d}"))


def names():
    linked = lambda d: os.link(d + "/f", d + "/l")
    pointed = lambda d: os.symlink("f", d + "/s")
    step("link", quiet(lambda d, f: os.link(f, d + "/l")), "l")
    step("unlink of a link", quiet(lambda d, f: os.unlink(d + "/l")), "l", prepare=linked)
    step("unlink", quiet(lambda d, f: os.unlink(f)))
    step("unlink of an open file", unlinked_open)
    step("O_TMPFILE", lambda d, f: os.open(d, os.O_TMPFILE | os.O_RDWR, 0o644))
    step("O_TMPFILE linked", linked_temporary, "t")
    step("symlink", quiet(lambda d, f: os.symlink("f", d + "/s")), "s")
    step("readlink", quiet(lambda d, f: os.readlink(d + "/s")), "s", prepare=pointed)
    step("lchown", quiet(lambda d, f: os.lchown(d + "/s", 1234, -1)), "s", prepare=pointed)
    step("mkdir", quiet(lambda d, f: os.mkdir(d + "/m")), "m")
    step("rmdir", quiet(lambda d, f: os.rmdir(d + "/m")), "m", prepare=directory("m"))
    step("rmdir refused", quiet(lambda d, f: os.rmdir(d)))
    step("mkfifo", quiet(lambda d, f: os.mkfifo(d + "/p")), "p")
    step("listing", quiet(lambda d, f: os.listdir(d)))
    step("rename", renamed_file, "r")
    step("rename onto another", renamed(0, "r"), "r", prepare=also("r"))
    step("rename onto itself", renamed(0, "f"))
    step("rename onto a link of it", renamed(0, "l"), "l", prepare=linked)
    step("rename into", renamed(0, "m/f"), "m", "m/f", prepare=directory("m"))
    step("rename onto a directory", renamed(0, "m"), "m", prepare=directory("m"))
    two = lambda d: (os.mkdir(d + "/m"), os.mkdir(d + "/n"))
    step("directory into", quiet(lambda d, f: os.rename(d + "/n", d + "/m/n")), "m", "n", "m/n", prepare=two)
    step("directory onto an empty one", quiet(lambda d, f: os.rename(d + "/n", d + "/m")), "m", "n", prepare=two)
    full = lambda d: (os.makedirs(d + "/m/x"), os.mkdir(d + "/n"))
    step("directory onto a full one", quiet(lambda d, f: os.rename(d + "/n", d + "/m")), "m", "n", prepare=full)
    step("exchange", renamed(EXCHANGE, "r"), "r", prepare=also("r"))
    step("exchange with a directory", renamed(EXCHANGE, "m"), "m", prepare=directory("m"))
    step("noreplace refused", renamed(NOREPLACE, "m"), "m", prepare=directory("m"))
    step("whiteout", renamed(WHITEOUT, "m"), "m")


def unlinked_open(d, f):
    fd = os.open(f, os.O_RDWR)
    before = os.fstat(fd)
    os.unlink(f)
    print("the unlinked:", moved(before, os.fstat(fd)))
    return fd


def linked_temporary(d, f):
    fd = os.open(d, os.O_TMPFILE | os.O_RDWR, 0o644)
    os.write(fd, b"abc")
    name = f"/proc/self/fd/{fd}"
    checked(LIBC.linkat(AT_FDCWD, name.encode(), AT_FDCWD, f"{d}/t".encode(), AT_SYMLINK_FOLLOW), "linkat")
    return fd


def renamed_file(d, f):
    before = os.lstat(f)
    os.rename(f, d + "/r")
    print("the renamed:", moved(before, os.lstat(d + "/r")))


os.chdir(sys.argv[1])
opens_and_writes()
attributes()
names()

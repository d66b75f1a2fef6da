"""handles.py DIR [OTHER]: keeps handles of files (name_to_handle_at) in DIR, opens them again below OTHER, which is another mount of the
same file system or DIR itself, and says what came of it, so that two file systems can be compared."""
import ctypes
import errno
import os
import sys

AT_FDCWD = -100
AT_SYMLINK_FOLLOW = 0x400
libc = ctypes.CDLL(None, use_errno=True)


class Handle(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_uint), ("type", ctypes.c_int), ("handle", ctypes.c_ubyte * 128)]


def handle(path):
    kept = Handle(bytes=128)
    mount = ctypes.c_int()
    if libc.name_to_handle_at(AT_FDCWD, path.encode(), ctypes.byref(kept), ctypes.byref(mount), 0) < 0:
        raise OSError(ctypes.get_errno(), path)
    return kept


def opened(at, kept, flags=os.O_RDONLY):
    f = libc.open_by_handle_at(at, ctypes.byref(kept), flags)
    if f < 0:
        raise OSError(ctypes.get_errno(), "open_by_handle_at")
    return f


def said(call, *args):
    try:
        return call(*args)
    except OSError as e:
        return errno.errorcode[e.errno]


def content(at, kept):
    f = opened(at, kept)
    try:
        return os.read(f, 100)
    finally:
        os.close(f)


def appended(at, kept):
    f = opened(at, kept, os.O_WRONLY | os.O_APPEND)
    try:
        return os.write(f, b" and more")
    finally:
        os.close(f)


def seen(at, kept, directory):
    """Its names, the way up, and where the kernel says that it is."""
    f = opened(at, kept, os.O_RDONLY | os.O_DIRECTORY)
    try:
        is_above = os.stat("..", dir_fd=f).st_ino == os.stat(os.path.dirname(directory)).st_ino
        return sorted(os.listdir(f)), is_above, os.path.basename(os.readlink(f"/proc/self/fd/{f}"))
    finally:
        os.close(f)


def mode(at, kept):
    f = opened(at, kept, os.O_PATH)
    try:
        return oct(os.fstat(f).st_mode)
    finally:
        os.close(f)


def link(at, kept):
    f = opened(at, kept, os.O_PATH)
    try:
        return os.readlink("", dir_fd=f)
    finally:
        os.close(f)


os.chdir(sys.argv[1])
other = os.path.join(sys.argv[2] if len(sys.argv) > 2 else sys.argv[1], "")
at = os.open(other, os.O_RDONLY | os.O_DIRECTORY)
os.makedirs("a/b/c")
with open("a/b/f", "w") as f:
    f.write("content")
os.symlink("f", "a/b/l")
os.mkfifo("a/b/p")
kept = {name: handle(name) for name in ["a", "a/b", "a/b/c", "a/b/f", "a/b/l", "a/b/p"]}

print("same handle again:", bytes(handle("a/b/f").handle) == bytes(kept["a/b/f"].handle))
print("deep directory first:", said(seen, at, kept["a/b/c"], "a/b/c"))
print("file:", said(content, at, kept["a/b/f"]))
print("directory:", said(seen, at, kept["a/b"], "a/b"))
print("link:", said(link, at, kept["a/b/l"]), said(content, at, kept["a/b/l"]))
print("fifo:", said(mode, at, kept["a/b/p"]))
print("written:", said(appended, at, kept["a/b/f"]), said(content, at, kept["a/b/f"]))
os.rename("a/b/f", "a/moved")
os.rename("a/b/c", "a/moved-c")
print("file moved:", said(content, at, kept["a/b/f"]))
print("directory moved:", said(lambda: seen(at, kept["a/b/c"], "a/moved-c")[0]))
open("a/b/f", "w").close()
print("its old name taken:", said(content, at, kept["a/b/f"]))
os.unlink("a/moved")
os.rmdir("a/moved-c")
print("file removed:", said(content, at, kept["a/b/f"]))
print("directory removed:", said(seen, at, kept["a/b/c"], "a/moved-c"))
for i in range(50):
    open("a/b/new%d" % i, "w").close()
print("still:", said(content, at, kept["a/b/f"]))
wrong = handle("a/b/f")
for i in range(wrong.bytes):
    wrong.handle[i] = 0x5A
print("made up:", said(content, at, wrong))

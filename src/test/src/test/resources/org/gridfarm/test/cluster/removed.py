"""removed.py DIR: calls on what is removed while a program refers to it: directories, FIFOs, devices, links and files, by way of a
descriptor, a descriptor of the path alone (O_PATH) and the working directory. Says what came of them, so that two file systems can be
compared."""
import errno
import os
import stat
import sys


def told(name, call):
    try:
        said = call()
    except OSError as e:
        said = errno.errorcode[e.errno]
    print(f"  {name}: {said}")


def shape(found):
    times = [t if t < 10 else "now" for t in (found.st_atime_ns, found.st_mtime_ns, found.st_ctime_ns)]
    size = found.st_size if not stat.S_ISDIR(found.st_mode) else "-"
    return f"{stat.filemode(found.st_mode)} {found.st_nlink} {found.st_uid}:{found.st_gid} {size} {times}"


def attributes(f):
    path = f"/proc/self/fd/{f}"
    told("fstat", lambda: shape(os.fstat(f)))
    told("fchmod", lambda: os.fchmod(f, 0o700))
    told("chmod", lambda: os.chmod(path, 0o710))
    told("chown", lambda: os.chown(path, 12, 34))
    told("utimens", lambda: os.utime(path, ns=(1, 2)))
    told("fstat after that", lambda: shape(os.fstat(f)))
    told("getxattr", lambda: os.getxattr(path, "user.a"))
    told("listxattr", lambda: os.listxattr(path))
    told("fstatvfs", lambda: os.fstatvfs(f).f_namemax)
    told("access", lambda: os.access(path, os.R_OK))


def names(f):
    told("stat of .", lambda: shape(os.stat(".", dir_fd=f)))
    told("stat of ..", lambda: stat.S_ISDIR(os.stat("..", dir_fd=f).st_mode))
    told("stat of a name", lambda: os.stat("x", dir_fd=f))
    told("list", lambda: os.listdir(f))
    told("list again", lambda: os.listdir(f))
    told("open of .", lambda: os.close(os.open(".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=f)))
    told("create", lambda: os.open("x", os.O_RDWR | os.O_CREAT, dir_fd=f))
    told("mkdir", lambda: os.mkdir("d", dir_fd=f))
    told("symlink", lambda: os.symlink("t", "l", dir_fd=f))
    told("rename", lambda: os.rename("a", "b", src_dir_fd=f, dst_dir_fd=f))
    told("unlink", lambda: os.unlink("x", dir_fd=f))
    told("fsync", lambda: os.fsync(f))


def working(f):
    told("fchdir", lambda: os.fchdir(f))
    told("getcwd", os.getcwd)
    told("stat of .", lambda: shape(os.stat(".")))
    told("chmod of .", lambda: os.chmod(".", 0o755))
    told("list .", lambda: os.listdir("."))
    told("statvfs of .", lambda: os.statvfs(".").f_namemax)
    told("create", lambda: os.open("x", os.O_RDWR | os.O_CREAT))
    told("stat of ..", lambda: stat.S_ISDIR(os.stat("..").st_mode))
    os.chdir(top)


def directory(way, flags, state):
    name = f"{way}-{state}"
    print(name)
    os.mkdir(name)
    inside = [f"{name}/f{i}" for i in range(3 if state == "emptied" else 0)]
    for path in inside:
        open(path, "w").close()
    f = os.open(name, flags | os.O_DIRECTORY)
    if state == "listed":
        os.listdir(name)
    for path in inside:
        os.unlink(path)
    if state == "replaced":
        os.mkdir(name + "-new")
        os.rename(name + "-new", name)
    else:
        os.rmdir(name)
    attributes(f)
    names(f)
    working(f)
    os.close(f)


def other(name, make, flags, replace=False):
    print(name + (", replaced" if replace else ""))
    make(name)
    f = os.open(name, flags)
    if replace:
        make("new")
        os.rename("new", name)
    else:
        os.unlink(name)
    attributes(f)
    os.close(f)


def open_when_removed(name):
    """The last close comes after the removal; whoever else refers to the file finds it before and after."""
    print(name)
    file(name)
    f = os.open(name, os.O_PATH)
    used = os.open(name, os.O_RDWR)
    os.unlink(name)
    os.close(used)
    told("fstat, many times", lambda: {shape(os.fstat(f)) for _ in range(500)})
    attributes(f)
    os.close(f)


def file(name):
    with open(name, "w") as f:
        f.write("abc")


def device(name):
    os.mknod(name, stat.S_IFCHR | 0o600, os.makedev(1, 3))


top = os.path.abspath(sys.argv[1])
os.chdir(top)
for state in "empty", "emptied", "listed", "replaced":
    directory("descriptor", os.O_RDONLY, state)
    directory("path", os.O_PATH, state)
for replace in False, True:
    other("fifo", os.mkfifo, os.O_RDWR | os.O_NONBLOCK, replace)
    other("device", device, os.O_RDWR, replace)
    other("file", file, os.O_RDWR, replace)
    other("file by its path", file, os.O_PATH, replace)
for what in "file closed after its removal", "another", "and another":
    open_when_removed(what)
print("two names")
file("one")
os.link("one", "two")
f = os.open("one", os.O_PATH)
os.unlink("one")
attributes(f)
print("link")
os.symlink("target", "link")
f = os.open("link", os.O_PATH | os.O_NOFOLLOW)
os.unlink("link")
told("fstat", lambda: shape(os.fstat(f)))

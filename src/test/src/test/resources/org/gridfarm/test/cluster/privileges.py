"""privileges.py MADE CHANGED OTHER: what takes set-user bits, set-group bits and capabilities from a program, and who may run it. Each program is made
in MADE, changed in CHANGED, and looked at and run there and in OTHER at once: three names of one directory, on a local disk the same one. With "all"
every way is tried with every program, which takes longer."""
import ctypes
import errno
import mmap
import os
import shutil
import stat
import subprocess
import sys
import time

MADE, CHANGED, OTHER = sys.argv[1:4]
ALL = sys.argv[4:] == ["all"]
OWNER, WRITER, RUNNER = 1000, 1001, 1002
CAPABILITY = bytes.fromhex("0100000280000000000000000000000000000000")  # cap_setuid+ep, version 2
LENGTH = 100_000  # of a program: more than the least that the kernel may be given to change in place
libc = ctypes.CDLL(None, use_errno=True)
os.umask(0)
os.chmod(MADE, 0o777)


def as_user(user, call):
    """In a process of this user; what it raises is told by its name."""
    out, told = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(out)
        if user != 0:
            os.setgroups([])
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
        try:
            text = call() or "ok"
        except OSError as e:
            text = errno.errorcode[e.errno]
        except BaseException as e:
            text = repr(e)
        os.write(told, text.encode())
        os._exit(0)
    os.close(told)
    with open(out) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return text


def run(program, user=RUNNER, script=False):
    """The user and the capabilities it runs with."""
    try:
        done = subprocess.run([program] if script else [program, "/proc/self/status"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              user=user, group=user, extra_groups=[])
    except OSError as e:
        return errno.errorcode[e.errno]
    lines = dict(line.split(":\t", 1) for line in done.stdout.decode().splitlines() if ":\t" in line)
    return f"user {lines['Uid'].split()[1]} group {lines['Gid'].split()[1]} {lines['CapEff']}" if "Uid" in lines else f"ended {done.returncode}"


def seen(directory, name):
    path = directory + "/" + name
    capability = "capable" if "security.capability" in os.listxattr(path) else ""
    return f"{stat.S_IMODE(os.stat(path).st_mode):o} {capability}"


def make(name, mode, owner, capable):
    path = MADE + "/" + name
    shutil.copyfile("/bin/cat", path)
    os.truncate(path, LENGTH)
    os.chown(path, owner, owner)
    give(path, mode, capable)


def give(path, mode, capable):
    os.chmod(path, mode)
    if capable:
        os.setxattr(path, "security.capability", CAPABILITY)


def on(flags, change):
    def way(path, again):
        descriptor = os.open(path, flags)
        try:
            change(descriptor)
        finally:
            os.close(descriptor)
    return way


def writes_when_given(path, again):
    descriptor = os.open(path, os.O_RDWR)
    again()
    os.pwrite(descriptor, b"x", LENGTH - 1)
    os.close(descriptor)


def writes_when_given_elsewhere(path, again):
    descriptor = os.open(path, os.O_RDWR)
    again(OTHER)
    os.pwrite(descriptor, b"x", LENGTH - 1)
    told = until_plain(os.path.basename(path))
    os.close(descriptor)
    return told


def until_plain(name):
    """What both show while the file is open: where the kernel writes for itself, a moment later."""
    ends = time.monotonic() + 10
    while True:
        told = f"{seen(CHANGED, name)}, {seen(OTHER, name)}"
        if not stat.S_IMODE(os.stat(OTHER + "/" + name).st_mode) & 0o4000 and "capable" not in told or time.monotonic() > ends:
            return told


def writes_before_and_after(path, again):
    descriptor = os.open(path, os.O_RDWR)
    os.pwrite(descriptor, b"x", LENGTH - 1)
    again()
    os.pwrite(descriptor, b"y", LENGTH - 1)
    os.close(descriptor)


def writes_before(path, again):
    descriptor = os.open(path, os.O_RDWR)
    os.pwrite(descriptor, b"x", LENGTH - 1)
    again()
    os.close(descriptor)


def replace(descriptor):
    with open("/bin/cat", "rb") as program:
        os.write(descriptor, program.read())


def send(descriptor):
    with open("/bin/cat", "rb") as program:
        os.lseek(descriptor, LENGTH, 0)
        os.sendfile(descriptor, program.fileno(), 0, 5000)


def direct(descriptor):
    page = mmap.mmap(-1, 4096)
    os.pwritev(descriptor, [page], 0x18000 - 4096)


def fallocate(mode, offset, length):
    def change(descriptor):
        if libc.fallocate(descriptor, mode, ctypes.c_long(offset), ctypes.c_long(length)) != 0:
            raise OSError(ctypes.get_errno(), "fallocate")
    return change


def acl(path, again):
    entries = ((1, 7, 0xFFFFFFFF), (2, 5, RUNNER), (4, 7, 0xFFFFFFFF), (16, 7, 0xFFFFFFFF), (32, 7, 0xFFFFFFFF))
    value = b"\2\0\0\0" + b"".join(t.to_bytes(2, "little") + p.to_bytes(2, "little") + i.to_bytes(4, "little") for t, p, i in entries)
    os.setxattr(path, "system.posix_acl_access", value)


WAYS = {
    "nothing": lambda path, again: None,
    "open": on(os.O_RDWR, lambda fd: None),
    "write": on(os.O_WRONLY, lambda fd: os.pwrite(fd, b"x", LENGTH - 1)),
    "write of nothing": on(os.O_WRONLY, lambda fd: os.write(fd, b"")),
    "append": on(os.O_WRONLY | os.O_APPEND, lambda fd: os.write(fd, b"x")),
    "empty and write": on(os.O_WRONLY | os.O_TRUNC, replace),
    "O_CREAT, empty and write": on(os.O_RDWR | os.O_CREAT | os.O_TRUNC, replace),
    "direct": on(os.O_WRONLY | os.O_DIRECT, direct),
    "sendfile": on(os.O_WRONLY, send),
    "copy_file_range": on(os.O_RDWR, lambda fd: os.copy_file_range(fd, fd, 10, LENGTH - 100, LENGTH)),
    "truncate": lambda path, again: os.truncate(path, LENGTH - 1),
    "truncate to the same": lambda path, again: os.truncate(path, LENGTH),
    "ftruncate": on(os.O_WRONLY, lambda fd: os.ftruncate(fd, LENGTH + 10)),
    "fallocate": on(os.O_WRONLY, fallocate(0, 0, LENGTH + 10)),
    "fallocate, punch": on(os.O_WRONLY, fallocate(3, LENGTH - 4096, 4096)),
    "fallocate, zero": on(os.O_WRONLY, fallocate(16, LENGTH - 4096, 4096)),
    "write when given": writes_when_given,
    "write when given elsewhere": writes_when_given_elsewhere,
    "write before and after": writes_before_and_after,
    "write before": writes_before,
    "chown to nobody": lambda path, again: os.chown(path, -1, -1),
    "chown to the same": lambda path, again: os.chown(path, os.stat(path).st_uid, -1),
    "chgrp": lambda path, again: os.chown(path, -1, os.getgid()),
    "touch": lambda path, again: os.utime(path),
    "chmod to the same": lambda path, again: os.chmod(path, stat.S_IMODE(os.stat(path).st_mode)),
    "setfacl": acl,
    "removexattr": lambda path, again: os.removexattr(path, "security.capability"),
}
SOME = "open", "write", "empty and write", "ftruncate", "write when given", "chgrp"
PROGRAMS = (
    ("6777", 0o6777, 0, False, {WRITER: WAYS, 0: SOME}),
    ("2767", 0o2767, 0, False, {WRITER: SOME}),
    ("4755", 0o4755, OWNER, False, {OWNER: SOME + ("setfacl",)}),
    ("capable", 0o777, OWNER, True, {OWNER: WAYS, 0: SOME, WRITER: SOME + ("removexattr",)}),
    ("capable 4777", 0o4777, 0, True, {WRITER: SOME}),
)


def taken():
    for kind, mode, owner, capable, users in PROGRAMS:
        for user, ways in users.items():
            for way in WAYS if ALL and user != 0 else ways:
                name = f"{kind}, {user}, {way}"
                bare = "given" in way or "before" in way  # it gets them while it is open
                make(name, mode & 0o777 if bare else mode, owner, capable and not bare)
                run(CHANGED + "/" + name)  # what is believed of it then may not last
                for directory in CHANGED, OTHER:
                    seen(directory, name)
                told = gives(name, user, WAYS[way], mode, capable)
                here, there = run(CHANGED + "/" + name), run(OTHER + "/" + name)  # before stat(2) has the kernel ask anew
                print(f"{name}: {told}; {seen(CHANGED, name)}; {seen(OTHER, name)}; {here}; {there}")


def gives(name, user, change, mode, capable):
    """Lets the user change it; he may ask root to give it what it is to have."""
    wish, asked = os.pipe()
    answer, given = os.pipe()
    helper = os.fork()
    if helper == 0:
        os.close(asked)
        os.close(answer)
        where = os.read(wish, 1000)
        if where:
            give(where.decode() + "/" + name, mode, capable)
            os.write(given, b"!")
        os._exit(0)
    os.close(wish)
    os.close(given)

    def again(where=CHANGED):
        os.write(asked, where.encode())
        os.read(answer, 1)

    told = as_user(user, lambda: change(CHANGED + "/" + name, again))
    os.close(asked)
    os.close(answer)
    os.waitpid(helper, 0)
    return told


def run_by_who_may_not_read():
    for owner, modes in (0, (0o711, 0o001, 0o6111)), (OWNER, (0o711, 0o111, 0o511, 0o001, 0o100, 0o010, 0o4711, 0o644, 0o000)):
        for mode in modes:
            name = f"{mode:o} of {owner}"
            make(name, mode, owner, False)
            for user in OWNER, RUNNER:
                read = as_user(user, lambda: os.close(os.open(CHANGED + "/" + name, os.O_RDONLY)))
                print(f"{name}, {user}: {run(CHANGED + '/' + name, user)}; {run(OTHER + '/' + name, user)}; read: {read}")
    with open(MADE + "/script", "w") as script:
        script.write("#!/bin/sh\nexit 7\n")
    for mode in 0o755, 0o711:
        os.chmod(MADE + "/script", mode)
        print(f"script {mode:o}: {run(CHANGED + '/script', script=True)}; {run(OTHER + '/script', script=True)}")


taken()
run_by_who_may_not_read()

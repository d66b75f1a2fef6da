"""setuid.py DIR: which writes take the set-user and set-group bits of a file away, as root and as another user; says the mode after each,
so that two file systems can be compared."""
import os
import sys

os.chdir(sys.argv[1])
os.chmod(".", 0o777)
os.umask(0)


def mode(f):
    return oct(os.fstat(f).st_mode & 0o7777)


def written(name, creator, writer, bits, how):
    os.seteuid(creator)
    f = os.open(name, os.O_RDWR | os.O_CREAT | (os.O_EXCL if how != "again" else 0), bits if how != "chmod" else 0o600)
    if how == "again":
        os.close(f)
        f = os.open(name, os.O_RDWR | os.O_CREAT, 0o600)
    if how == "chmod":
        os.close(f)
        os.chmod(name, bits)
        f = os.open(name, os.O_RDWR)
    os.seteuid(0)
    os.seteuid(writer)
    before = mode(f)
    os.pwrite(f, b"x", 0)
    after = mode(f)
    os.close(f)
    os.seteuid(0)
    print(f"{name}: {before} {after} {oct(os.stat(name).st_mode & 0o7777)}")


def without_writing(name, caller, bits, how):
    f = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    os.pwrite(f, b"x" * 10000, 0)
    os.fchmod(f, bits)
    os.close(f)
    f = os.open(name, os.O_RDWR)
    os.seteuid(caller)
    if how == "chown":
        os.chown(f, -1, -1)
    elif how == "fallocate":
        os.posix_fallocate(f, 0, 20000)
    else:
        os.copy_file_range(f, f, 10, 0, 5000)
    after = mode(f)
    os.close(f)
    os.seteuid(0)
    print(f"{name}: {after} {oct(os.stat(name).st_mode & 0o7777)}")


def set_after_writing(name, user, bits):
    os.seteuid(user)
    f = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    os.pwrite(f, b"x" * 10000, 0)
    os.fchmod(f, bits)
    before = mode(f)
    os.fsync(f)
    synced = mode(f)
    os.close(f)
    os.seteuid(0)
    print(f"{name}: {before} {synced} {oct(os.stat(name).st_mode & 0o7777)}")


for how, callers in ("fallocate", (0, 1000)), ("copy", (0, 1000)), ("chown", (0,)):
    for caller in callers:
        for bits in 0o4755, 0o2755, 0o6711, 0o2744, 0o755:
            without_writing(f"{how}-{caller}-{bits:o}", caller, bits, how)
for user in 0, 1000:
    for bits in 0o4755, 0o2755, 0o6711, 0o755:
        set_after_writing(f"late-{user}-{bits:o}", user, bits)
for how in "new", "again", "chmod":
    for creator, writer in (0, 0), (0, 1000), (1000, 1000):
        for bits in 0o4755, 0o2755, 0o6711, 0o2744, 0o755:
            written(f"{how}-{creator}-{writer}-{bits:o}", creator, writer, bits, how)

"""The same random calls on a directory of the local disk and on mounts of a farm, side by side.

    differential.py LOCAL MOUNT[,MOUNT...] [--contents] [--examples N] [--steps N] [--seed N]

Every call must give the same result or the same errno, and the two trees must be the same afterwards. With several mounts each call
goes through one of them, chosen at random; an open file stays with the mount it was opened through. The shortest sequence that shows
a difference is printed. Users other than root are tried where this runs as root. With --contents only a few files are opened, changed in
every way, renamed and removed.
"""

import argparse
import ctypes
import errno
import fcntl
import mmap
import os
import shutil
import stat
import struct
import sys
import time

import xattr
from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis import strategies as st

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
AT_FDCWD = -100
KEEP_SIZE, PUNCH_HOLE, ZERO_RANGE = 1, 2, 16
O_TMPFILE = os.O_TMPFILE
SLOTS = 3
USERS = {0: (0, []), 1000: (1000, []), 1001: (1001, [1000])}

# ---- what is tried

names = st.sampled_from(["a", "b", "c"])
paths = st.one_of(
    names,
    st.tuples(st.sampled_from(["d", "e", "d/d"]), names).map("/".join),
    st.sampled_from(["d", "d/d", "e", "d/.", "d/..", "missing/a", "a/a", "d/", "a/", "n" * 255, "n" * 256, ".", "ä\udcff"]),
)
slots = st.integers(0, SLOTS - 1)
offsets = st.one_of(st.sampled_from([0, 1, 4096, 8192, 65536]), st.integers(0, 9000), st.integers(60000, 70000))
lengths = st.one_of(st.sampled_from([0, 1, 4096, 65537]), st.integers(0, 6000))
modes = st.one_of(
    st.sampled_from([0o644, 0o755, 0o600, 0o000, 0o777, 0o4755, 0o2755, 0o1777, 0o2775, 0o6711, 0o444]), st.integers(0, 0o7777))
flags = st.builds(
    lambda access, more: access | sum(set(more)),
    st.sampled_from([os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_RDWR]),
    st.lists(st.sampled_from([os.O_CREAT, os.O_CREAT, os.O_EXCL, os.O_TRUNC, os.O_APPEND, os.O_NOFOLLOW, os.O_DIRECTORY, os.O_SYNC]),
             max_size=3))
attributes = st.sampled_from(["user.a", "user.b", "user." + "x" * 250, "user.", "trusted.t", "nosuch.x"])
values = st.sampled_from([b"", b"v", b"0123456789" * 30, b"\0\xff"])


def acl(owner, named, group, mask, other):
    entries = [(1, owner, 0xFFFFFFFF)]
    entries += [(2, p, uid) for uid, p in named]
    entries += [(4, group, 0xFFFFFFFF)]
    if mask is not None:
        entries += [(16, mask, 0xFFFFFFFF)]
    entries += [(32, other, 0xFFFFFFFF)]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *e) for e in entries)


perms = st.integers(0, 7)
acls = st.one_of(
    st.builds(lambda o, g, x: acl(o, [], g, None, x), perms, perms, perms),
    st.builds(lambda o, n, g, m, x: acl(o, [(1000, n)], g, m, x), perms, perms, perms, perms, perms),
    st.just(acl(7, [(1000, 7)], 7, None, 7)),  # no mask: invalid
    st.just(b""),
)

users = st.sampled_from([0, 0, 0, 1000, 1001])
# In seconds. A mount goes on with what it has answered: closes come to its node after 20 ms, say, and together.
pauses = st.sampled_from([0.001, 0.004, 0.012, 0.025])
call = st.one_of(
    st.just(("nothing",)),  # what the search for a shorter sequence puts in the place of the others
    st.tuples(st.just("pause"), pauses),
    st.tuples(st.just("open"), slots, paths, flags, modes),
    st.tuples(st.just("open"), slots, names, st.just(os.O_RDWR | os.O_CREAT), st.just(0o666)),
    st.tuples(st.just("tmpfile"), slots, st.sampled_from([".", "d", "a"]), modes),
    st.tuples(st.just("link_open"), slots, paths),
    st.tuples(st.just("close"), slots),
    st.tuples(st.just("pwrite"), slots, offsets, lengths),
    st.tuples(st.just("pwrite"), slots, offsets, lengths),
    st.tuples(st.just("write"), slots, lengths),
    st.tuples(st.just("pread"), slots, offsets, lengths),
    st.tuples(st.just("read"), slots, lengths),
    st.tuples(st.just("ftruncate"), slots, offsets),
    st.tuples(st.just("fallocate"), slots, st.sampled_from([0, KEEP_SIZE, PUNCH_HOLE | KEEP_SIZE, ZERO_RANGE, ZERO_RANGE | KEEP_SIZE, PUNCH_HOLE]),
              offsets, lengths),
    st.tuples(st.just("copy_range"), slots, slots, offsets, offsets, lengths),
    st.tuples(st.just("seek"), slots, st.sampled_from([os.SEEK_HOLE, os.SEEK_DATA, os.SEEK_END]), offsets),
    st.tuples(st.just("map"), slots, offsets, st.integers(1, 5000)),
    st.tuples(st.just("fsync"), slots),
    st.tuples(st.just("fstat"), slots),
    st.tuples(st.just("fchmod"), slots, modes),
    st.tuples(st.just("fchown"), slots, st.sampled_from([-1, 0, 1000]), st.sampled_from([-1, 0, 1000])),
    st.tuples(st.just("flock"), slots, st.sampled_from([fcntl.LOCK_SH, fcntl.LOCK_EX, fcntl.LOCK_UN])),
    st.tuples(st.just("lock"), slots, st.sampled_from([fcntl.F_RDLCK, fcntl.F_WRLCK, fcntl.F_UNLCK]), st.integers(0, 20), st.integers(0, 20)),
    st.tuples(st.just("mkdir"), paths, modes),
    st.tuples(st.just("mkdir"), st.sampled_from(["d", "e", "d/d"]), st.sampled_from([0o755, 0o777])),
    st.tuples(st.just("rmdir"), paths),
    st.tuples(st.just("unlink"), paths),
    st.tuples(st.just("rename"), paths, paths, st.sampled_from([0, 0, 1, 2, 3, 4, 5, 6, 8])),
    st.tuples(st.just("link"), paths, paths),
    st.tuples(st.just("symlink"), st.sampled_from(["a", "d", "../a", "d/d/a", "loop", "/nowhere", "x" * 4095]),
              st.one_of(paths, st.just("loop"))),
    st.tuples(st.just("readlink"), st.one_of(paths, st.just("loop"))),
    st.tuples(st.just("mknod"), paths, st.sampled_from([stat.S_IFREG, stat.S_IFIFO, stat.S_IFSOCK, stat.S_IFCHR]), modes),
    st.tuples(st.just("stat"), st.one_of(paths, st.just("loop"))),
    st.tuples(st.just("lstat"), paths),
    st.tuples(st.just("list"), paths),
    st.tuples(st.just("chmod"), paths, modes),
    st.tuples(st.just("chown"), paths, st.sampled_from([-1, 0, 1000]), st.sampled_from([-1, 0, 1000])),
    st.tuples(st.just("lchown"), paths, st.sampled_from([-1, 0, 1000]), st.sampled_from([-1, 0, 1000])),
    st.tuples(st.just("truncate"), paths, offsets),
    st.tuples(st.just("utime"), paths, st.sampled_from([(0, 0), (-1, 1), (10 ** 9 + 1, 10 ** 9 + 999999999), (2 ** 31 * 10 ** 9, 5)])),
    st.tuples(st.just("access"), paths, st.integers(0, 7)),
    st.tuples(st.just("set_attribute"), paths, attributes, values, st.sampled_from([0, 1, 2]), st.booleans()),
    st.tuples(st.just("get_attribute"), paths, attributes, st.booleans()),
    st.tuples(st.just("remove_attribute"), paths, attributes, st.booleans()),
    st.tuples(st.just("list_attributes"), paths, st.booleans()),
    st.tuples(st.just("set_acl"), paths, st.sampled_from(["access", "default"]), acls),
    st.tuples(st.just("get_acl"), paths, st.sampled_from(["access", "default"])),
    st.tuples(st.just("statvfs"), paths),
    st.tuples(st.just("umask"), st.sampled_from([0o022, 0, 0o077])),
)

few = st.sampled_from(["a", "a", "b"])
contents_flags = st.sampled_from([
    os.O_RDWR | os.O_CREAT, os.O_RDWR | os.O_CREAT | os.O_APPEND, os.O_WRONLY | os.O_CREAT | os.O_APPEND, os.O_WRONLY | os.O_CREAT,
    os.O_WRONLY | os.O_CREAT | os.O_TRUNC, os.O_RDWR | os.O_CREAT | os.O_TRUNC, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND,
    os.O_RDONLY, os.O_WRONLY | os.O_CREAT | os.O_EXCL])
contents_call = st.one_of(
    st.just(("nothing",)),
    st.tuples(st.just("pause"), pauses),
    st.tuples(st.just("open"), slots, few, contents_flags, st.just(0o644)),
    st.tuples(st.just("open"), slots, few, contents_flags, st.just(0o644)),
    st.tuples(st.just("dup"), slots, slots),
    st.tuples(st.just("close"), slots),
    st.tuples(st.just("pwrite"), slots, offsets, lengths),
    st.tuples(st.just("write"), slots, lengths),
    st.tuples(st.just("write"), slots, lengths),
    st.tuples(st.just("pread"), slots, offsets, lengths),
    st.tuples(st.just("read"), slots, lengths),
    st.tuples(st.just("ftruncate"), slots, offsets),
    st.tuples(st.just("truncate"), few, offsets),
    st.tuples(st.just("fallocate"), slots, st.sampled_from([0, KEEP_SIZE, PUNCH_HOLE | KEEP_SIZE, ZERO_RANGE]), offsets, lengths),
    st.tuples(st.just("copy_range"), slots, slots, offsets, offsets, lengths),
    st.tuples(st.just("seek"), slots, st.sampled_from([os.SEEK_HOLE, os.SEEK_DATA, os.SEEK_END]), offsets),
    st.tuples(st.just("map"), slots, offsets, st.integers(1, 5000)),
    st.tuples(st.just("map_late"), slots, offsets, st.integers(1, 5000)),
    st.tuples(st.just("fsync"), slots),
    st.tuples(st.just("fstat"), slots),
    st.tuples(st.just("stat"), few),
    st.tuples(st.just("rename"), few, few, st.sampled_from([0, 2])),
    st.tuples(st.just("link"), few, few),
    st.tuples(st.just("utime"), few, st.just((1, 10 ** 9 + 1))),
    st.tuples(st.just("unlink"), few),
)


# ---- how it is done


class Side:
    """One of the trees, reached through one or several roots, and the files opened in it."""

    several = False  # mounts, in this run

    def __init__(self, roots):
        self.roots = roots
        self.root = roots[0]
        self.open = [None] * SLOTS
        self.opened_in = [self.root] * SLOTS
        self.via = 0
        self.opened_via = [0] * SLOTS

    def at(self, path):
        return os.fsencode(self.root) + b"/" + os.fsencode(path)

    def fd(self, slot):
        if self.open[slot] is None:
            raise OSError(errno.EBADF, "no file in this slot")
        return self.open[slot]

    def run(self, via, user, step):
        self.root = self.roots[via % len(self.roots)]
        self.via = via
        group, groups = USERS[user]
        try:
            if user:
                os.setgroups(groups)
                os.setegid(group)
                os.seteuid(user)
            return "ok", getattr(self, step[0])(*step[1:])
        except OSError as e:
            return "error", errno.errorcode[e.errno]
        except ValueError as e:
            return "error", str(e)
        finally:
            if user:
                os.seteuid(0)
                os.setegid(0)
                os.setgroups([])

    def place(self, slot, fd):
        self.close(slot, quietly=True)
        self.open[slot] = fd
        self.opened_in[slot] = self.root
        self.opened_via[slot] = self.via
        return "opened"

    def close(self, slot, quietly=False):
        if self.open[slot] is None and quietly:
            return
        fd = self.fd(slot)
        self.open[slot] = None
        os.close(fd)

    def nothing(self):
        return None

    # open files

    def pause(self, seconds):
        time.sleep(seconds)

    def do_open(self, slot, path, how, mode):
        return self.place(slot, os.open(self.at(path), how | os.O_NONBLOCK, mode))

    def tmpfile(self, slot, path, mode):
        return self.place(slot, os.open(self.at(path), O_TMPFILE | os.O_RDWR, mode))

    def link_open(self, slot, path):
        self.root = self.opened_in[slot]  # no link leads from one mount to another
        os.link("/proc/self/fd/%d" % self.fd(slot), self.at(path), src_dir_fd=self.fd(slot), follow_symlinks=True)

    def dup(self, slot, to):
        if slot != to:
            self.root = self.opened_in[slot]
            self.via = self.opened_via[slot]
            self.place(to, os.dup(self.fd(slot)))

    def pwrite(self, slot, offset, length):
        return os.pwrite(self.fd(slot), pattern(offset, length), offset)

    def write(self, slot, length):
        fd = self.fd(slot)
        n = os.write(fd, pattern(length, length))
        if Side.several and fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_APPEND:
            # The kernel counts on from the end that it knew, whatever others have appended.
            os.lseek(fd, 0, os.SEEK_SET)
            return n
        return n, os.lseek(fd, 0, os.SEEK_CUR)

    def pread(self, slot, offset, length):
        return os.pread(self.fd(slot), length, offset)

    def read(self, slot, length):
        return os.read(self.fd(slot), length)

    def ftruncate(self, slot, length):
        os.ftruncate(self.fd(slot), length)

    def fallocate(self, slot, mode, offset, length):
        system(libc.fallocate(self.fd(slot), mode, ctypes.c_long(offset), ctypes.c_long(length)))

    def copy_range(self, source, target, offset, to, length):
        if self.opened_via[source] != self.opened_via[target]:
            return "between mounts"  # the kernel does not see that it is the same file
        return os.copy_file_range(self.fd(source), self.fd(target), length, offset, to)

    def seek(self, slot, whence, offset):
        fd = self.fd(slot)
        before = os.lseek(fd, 0, os.SEEK_CUR)
        size = os.fstat(fd).st_size
        try:
            found = os.lseek(fd, offset if whence != os.SEEK_END else -offset, whence)
        except OSError as e:
            # Nothing but a hole up to the end, or reserved space that nobody has written to.
            if whence == os.SEEK_DATA and e.errno == errno.ENXIO and offset < size:
                return True
            raise
        os.lseek(fd, before, os.SEEK_SET)
        if whence == os.SEEK_END:
            return found
        # Which holes there are is the file system's affair; that they are holes is not.
        if whence == os.SEEK_DATA:
            return found >= offset and found < size
        return found >= offset and found <= size

    def map(self, slot, offset, length):
        fd = self.fd(slot)
        size = os.fstat(fd).st_size
        if offset + length > size:
            return "beyond the end"
        with mmap.mmap(fd, offset + length) as mapped:
            before = bytes(mapped[offset:])
            mapped[offset:] = pattern(7, length)
            mapped.flush()
        return before, os.pread(fd, length, offset)

    def map_late(self, slot, offset, length):
        """What is written through a mapping after the file was closed."""
        fd = self.fd(slot)
        if offset + length > os.fstat(fd).st_size:
            return "beyond the end"
        whole = ctypes.c_size_t(offset + length)
        at = libc.mmap(None, whole, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_SHARED, fd, ctypes.c_long(0))
        if at == ctypes.c_void_p(-1).value:
            system(-1)
        self.close(slot)
        written = pattern(11, length)
        ctypes.memmove(at + offset, written, length)
        system(libc.munmap(ctypes.c_void_p(at), whole))

    def fsync(self, slot):
        os.fsync(self.fd(slot))

    def fstat(self, slot):
        return told(os.fstat(self.fd(slot)))

    def fchmod(self, slot, mode):
        os.fchmod(self.fd(slot), mode)

    def fchown(self, slot, user, group):
        os.fchown(self.fd(slot), user, group)

    def flock(self, slot, kind):
        fcntl.flock(self.fd(slot), kind | fcntl.LOCK_NB)

    def lock(self, slot, kind, start, length):
        # Of the open file: those of a process do not conflict with its own.
        request = struct.pack("hhqqi4x", kind, os.SEEK_SET, start, length, 0)
        fcntl.fcntl(self.fd(slot), 37, request)  # F_OFD_SETLK

    # names

    def mkdir(self, path, mode):
        os.mkdir(self.at(path), mode)

    def rmdir(self, path):
        os.rmdir(self.at(path))

    def unlink(self, path):
        os.unlink(self.at(path))

    def rename(self, path, to, how):
        system(libc.renameat2(AT_FDCWD, self.at(path), AT_FDCWD, self.at(to), how))

    def link(self, path, to):
        os.link(self.at(path), self.at(to))

    def symlink(self, target, path):
        os.symlink(target, self.at(path))

    def readlink(self, path):
        return os.readlink(self.at(path))

    def mknod(self, path, kind, mode):
        os.mknod(self.at(path), kind | mode, os.makedev(1, 3) if kind == stat.S_IFCHR else 0)

    def stat(self, path):
        return told(os.stat(self.at(path)))

    def lstat(self, path):
        return told(os.lstat(self.at(path)))

    def list(self, path):
        return sorted(os.listdir(self.at(path)))

    def chmod(self, path, mode):
        os.chmod(self.at(path), mode)

    def chown(self, path, user, group):
        os.chown(self.at(path), user, group)

    def lchown(self, path, user, group):
        os.lchown(self.at(path), user, group)

    def truncate(self, path, length):
        os.truncate(self.at(path), length)

    def utime(self, path, times):
        os.utime(self.at(path), ns=times)
        found = os.stat(self.at(path))
        return found.st_atime_ns, found.st_mtime_ns

    def access(self, path, mode):
        return os.access(self.at(path), mode, effective_ids=True)

    # attributes

    def set_attribute(self, path, name, value, how, follow):
        xattr.setxattr(self.at(path), name, value, how, not follow)

    def get_attribute(self, path, name, follow):
        return xattr.getxattr(self.at(path), name, not follow)

    def remove_attribute(self, path, name, follow):
        xattr.removexattr(self.at(path), name, not follow)

    def list_attributes(self, path, follow):
        return attribute_names(self.at(path), follow)

    def set_acl(self, path, kind, value):
        xattr.setxattr(self.at(path), "system.posix_acl_" + kind, value)

    def get_acl(self, path, kind):
        return xattr.getxattr(self.at(path), "system.posix_acl_" + kind)

    def statvfs(self, path):
        found = os.statvfs(self.at(path))
        return found.f_namemax, found.f_bavail <= found.f_bfree <= found.f_blocks

    def umask(self, mask):
        os.umask(mask)

    # the whole

    def tree(self):
        found = {}
        for folder, folders, files in os.walk(os.fsencode(self.root)):
            for name in folders + files:
                path = os.path.join(folder, name)
                what = os.lstat(path)
                entry = [told(what), attribute_names(path, False)]
                if stat.S_ISREG(what.st_mode):
                    with open(path, "rb") as file:
                        entry.append(file.read())
                if stat.S_ISLNK(what.st_mode):
                    entry.append(os.readlink(path))
                found[os.path.relpath(path, os.fsencode(self.root))] = entry
        return found


def system(result):
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def pattern(start, length):
    return bytes((start + i * 7 + i // 251) % 255 + 1 for i in range(length))


def attribute_names(path, follow):
    # security.* belongs to the machine, not to the file system.
    return sorted(n for n in xattr.listxattr(path, not follow) if not n.startswith(b"security."))


def told(found):
    """What of an inode does not depend on the file system."""
    folder = stat.S_ISDIR(found.st_mode)
    return (oct(found.st_mode), found.st_nlink, found.st_uid, found.st_gid, None if folder else found.st_size,
            found.st_rdev if stat.S_ISCHR(found.st_mode) else 0)


def compare(local, mounts, steps, trail):
    for side in (local, mounts):
        # Links lead to what lies beside the tree.
        around = os.path.dirname(side.roots[0])
        shutil.rmtree(around, ignore_errors=True)
        for made in around, side.roots[0]:
            os.mkdir(made, 0o777)
            os.chmod(made, 0o777)
    os.umask(0o022)
    try:
        for via, user, step in steps:
            step = ("do_open", *step[1:]) if step[0] == "open" else step
            expected = local.run(via, user, step)
            found = mounts.run(via, user, step)
            if step[0] != "nothing":
                trail.append("mount %d user %d %s -> %s" % (via, user, step, brief(expected)))
            assert found == expected, "on the mount: " + brief(found)
    finally:
        os.umask(0o022)
        for side in (local, mounts):
            for slot in range(SLOTS):
                side.close(slot, quietly=True)
    expected = local.tree()
    for root in mounts.roots:
        mounts.root = root
        found = mounts.tree()
        for path in expected.keys() | found.keys():
            assert found.get(path) == expected.get(path), "afterwards %s in %s: %s, on the local disk %s" % (
                path, root, brief(found.get(path)), brief(expected.get(path)))


def brief(value):
    text = repr(value)
    return text if len(text) < 300 else text[:300] + "... %d characters" % len(text)


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("local")
    words.add_argument("mounts")
    words.add_argument("--examples", type=int, default=100)
    words.add_argument("--steps", type=int, default=25)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--contents", action="store_true")
    given_words = words.parse_args()
    local = Side([os.path.join(given_words.local, "work", "tree")])
    mounts = Side([os.path.join(m, "differential-%d" % os.getpid(), "tree") for m in given_words.mounts.split(",")])
    Side.several = len(mounts.roots) > 1
    who = users if os.geteuid() == 0 and not given_words.contents else st.just(0)
    what = contents_call if given_words.contents else call
    via = st.integers(0, len(mounts.roots) - 1)

    @seed(given_words.seed)
    @settings(max_examples=given_words.examples, deadline=None, database=None, print_blob=False, report_multiple_bugs=False, verbosity=Verbosity.quiet,
              suppress_health_check=list(HealthCheck), phases=(Phase.generate, Phase.shrink))
    @given(st.lists(st.tuples(via, who, what), min_size=given_words.steps, max_size=given_words.steps))
    def same(steps):
        trail.clear()
        compare(local, mounts, steps, trail)

    trail = []
    try:
        same()
    except (Exception, BaseExceptionGroup) as e:
        # Of the shortest sequence found, which is tried last.
        print("\n".join(trail), type(e).__name__ + ": " + str(e)[:2000], sep="\n")
        return 1
    print("%d sequences of %d calls: no difference" % (given_words.examples, given_words.steps))


if __name__ == "__main__":
    sys.exit(main())

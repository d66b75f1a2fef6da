"""The farm by a mount of this host: the kernel caches, and reads copies on this host's disks directly."""

import os
import shutil
import stat
from datetime import datetime, timezone

from gridfarm.way import Way, beside

#: How the kernel calls mounts of a farm.
MOUNT_TYPE = "fuse.gf"

_COPIED_AT_ONCE = 64 << 20


def mounts(table="/proc/self/mounts"):
    """Where farms are mounted on this host."""
    found = []
    try:
        with open(table, "rb") as lines:
            for line in lines:
                words = line.split()
                if len(words) > 2 and words[2] == MOUNT_TYPE.encode():
                    found.append(_unescaped(words[1]))
    except FileNotFoundError:
        return []  # not Linux
    return found


def _unescaped(word):
    """The kernel writes blanks and backslashes as three octal digits."""
    text = bytearray()
    at = 0
    while at < len(word):
        if word[at : at + 1] == b"\\":
            text.append(int(word[at + 1 : at + 4], 8))
            at += 4
        else:
            text.append(word[at])
            at += 1
    return os.fsdecode(bytes(text))


class MountWay(Way):
    def __init__(self, root):
        self.root = root.rstrip("/")
        if not os.path.isdir(root):
            raise NotADirectoryError(20, "no farm is mounted there", root)

    def __str__(self):
        return "mount " + (self.root or "/")

    def _local(self, path):
        return self.root + path

    def info(self, path):
        local = self._local(path)
        link = os.lstat(local)
        return self._described(path, local, link)

    def _described(self, path, local, link):
        is_link = stat.S_ISLNK(link.st_mode)
        found = link
        described = {"islink": is_link}
        if is_link:
            described["destination"] = os.readlink(local)
            try:
                found = os.stat(local)
            except OSError:
                pass  # it leads nowhere: told as the link itself, of type "other"
        kind = "other"
        if stat.S_ISDIR(found.st_mode):
            kind = "directory"
        elif stat.S_ISREG(found.st_mode):
            kind = "file"
        described.update(
            name=path,
            type=kind,
            size=found.st_size if kind == "file" else 0,
            mode=found.st_mode & 0o7777,
            uid=found.st_uid,
            gid=found.st_gid,
            nlink=found.st_nlink,
            ino=found.st_ino,
            mtime=found.st_mtime,
            created=datetime.fromtimestamp(found.st_ctime, tz=timezone.utc),
            modified=datetime.fromtimestamp(found.st_mtime, tz=timezone.utc),
            etag="%x-%x-%x-%x" % (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns),
        )
        return described

    def list(self, path):
        entries = []
        prefix = path.rstrip("/") + "/"
        with os.scandir(self._local(path) or "/") as found:
            for entry in found:
                try:
                    link = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue  # gone since
                entries.append(self._described(prefix + entry.name, entry.path, link))
        return entries

    def read(self, path, start, end):
        reader = self.reader(path)
        try:
            return reader.read(start, end)
        finally:
            reader.close()

    def reader(self, path):
        return _MountReader(self._local(path))

    def writer(self, path, exclusive):
        if os.path.isdir(self._local(path)):
            raise IsADirectoryError(21, "is a directory", path)
        return _MountWriter(self._local(path), exclusive)

    def appender(self, path):
        return _MountAppender(self._local(path))

    def mkdir(self, path):
        os.mkdir(self._local(path))

    def rmdir(self, path):
        os.rmdir(self._local(path))

    def remove(self, path):
        os.unlink(self._local(path))

    def remove_tree(self, path):
        shutil.rmtree(self._local(path))

    def rename(self, path, target):
        os.rename(self._local(path), self._local(target))

    def copy(self, path, target):
        writer = self.writer(target, exclusive=False)
        try:
            with open(self._local(path), "rb") as source:
                writer.copy_of(source)
        except BaseException:
            writer.abandon()
            raise
        writer.finish()

    def touch(self, path):
        os.utime(self._local(path))


class _MountReader:
    def __init__(self, local):
        self._fd = os.open(local, os.O_RDONLY | os.O_CLOEXEC)
        if stat.S_ISDIR(os.fstat(self._fd).st_mode):
            self.close()
            raise IsADirectoryError(21, "is a directory", local)

    def read(self, start, end):
        pieces = []
        while start < end:
            piece = os.pread(self._fd, end - start, start)
            if not piece:
                break
            pieces.append(piece)
            start += len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def close(self):
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _write_all(fd, data):
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


class _MountWriter:
    def __init__(self, local, exclusive):
        # Through a link, what it leads to is written, as by every other program.
        self._local = os.path.realpath(local) if os.path.islink(local) else local
        self._exclusive = exclusive
        self._beside = beside(self._local)
        self._fd = os.open(self._beside, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)

    def write(self, data):
        _write_all(self._fd, data)

    def copy_of(self, source):
        """On the farm's nodes, where the layouts permit."""
        while os.copy_file_range(source.fileno(), self._fd, _COPIED_AT_ONCE):
            pass

    def finish(self):
        try:
            os.fsync(self._fd)
            self._close()
            if self._exclusive:
                os.link(self._beside, self._local)  # unlike a rename it replaces nothing
                os.unlink(self._beside)
            else:
                self._keep_mode()
                os.rename(self._beside, self._local)
        except BaseException:
            self.abandon()
            raise

    def _keep_mode(self):
        """Of what is replaced."""
        try:
            os.chmod(self._beside, os.stat(self._local).st_mode & 0o7777)
        except FileNotFoundError:
            pass  # nothing is replaced

    def _close(self):
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def abandon(self):
        self._close()
        try:
            os.unlink(self._beside)
        except FileNotFoundError:
            pass  # it has its name, or was abandoned before


class _MountAppender:
    def __init__(self, local):
        self._fd = os.open(local, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)

    def write(self, data):
        _write_all(self._fd, data)

    def finish(self):
        os.fsync(self._fd)
        self.abandon()

    def abandon(self):
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

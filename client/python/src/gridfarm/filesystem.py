"""The file system that fsspec knows by ``gf://``."""

import io
import os
import tempfile

from fsspec.spec import AbstractBufferedFile, AbstractFileSystem

from gridfarm.gateway import GatewayWay
from gridfarm.mount import MountWay, mounts
from gridfarm.way import beside

_BLOCK_BYTES = 4 << 20


def _way(mount, gateway, credentials):
    """By what was asked for, else by what the environment names, else by the only mount that there is."""
    if mount and gateway:
        raise ValueError("give mount or gateway, not both")
    if not mount and not gateway:
        mount = os.environ.get("GF_MOUNT")
    if not mount and not gateway:
        found = mounts()
        if len(found) == 1:
            mount = found[0]
        else:
            gateway = os.environ.get("GF_GATEWAY")
            if not gateway:
                raise ValueError(
                    "which farm is meant? %s: give mount= (or GF_MOUNT), or gateway= (or GF_GATEWAY)"
                    % ("there are mounts at " + ", ".join(found) if found else "no farm is mounted here")
                )
    return MountWay(mount) if mount else GatewayWay(gateway, **credentials)


class GridfarmFileSystem(AbstractFileSystem):
    """
    A farm, by a mount where this host has one, else by a gateway.

    :param mount: where the farm is mounted; else ``GF_MOUNT``, else the only mount of type fuse.gf
    :param gateway: address of a gateway; else ``GF_GATEWAY``, where there is no mount
    :param cert, key, ca, token, account: for the gateway, see :class:`gridfarm.gateway.GatewayWay`
    :param block_size: bytes that are read and sent at once (4 MiB)
    :param auto_mkdir: whether opening a file for writing makes its directories
    """

    protocol = "gf"
    root_marker = "/"

    def __init__(
        self,
        mount=None,
        gateway=None,
        cert=None,
        key=None,
        ca=None,
        token=None,
        account=None,
        block_size=_BLOCK_BYTES,
        auto_mkdir=False,
        **options,
    ):
        super().__init__(**options)
        credentials = {"cert": cert, "key": key, "ca": ca, "token": token, "account": account}
        self.way = _way(mount, gateway, credentials)
        self.block_size = block_size
        self.auto_mkdir = auto_mkdir

    @classmethod
    def _strip_protocol(cls, path):
        if isinstance(path, list):
            return [cls._strip_protocol(one) for one in path]
        path = os.fspath(path)
        for prefix in ("gf://", "gf::", "gf:"):
            if path.startswith(prefix):
                path = path[len(prefix) :]
                break
        parts = [part for part in path.split("/") if part]
        return "/" + "/".join(parts)

    @property
    def fsid(self):
        return "gf " + str(self.way)

    # ---- looking

    def info(self, path, **kwargs):
        return self.way.info(self._strip_protocol(path))

    def ls(self, path, detail=True, **kwargs):
        path = self._strip_protocol(path)
        try:
            entries = self.way.list(path)
        except NotADirectoryError:
            entries = [self.way.info(path)]
        entries.sort(key=lambda entry: entry["name"])
        return entries if detail else [entry["name"] for entry in entries]

    def exists(self, path, **kwargs):
        try:
            self.info(path)
            return True
        except (FileNotFoundError, NotADirectoryError):
            return False

    def created(self, path):
        return self.info(path)["created"]

    def modified(self, path):
        return self.info(path)["modified"]

    def ukey(self, path):
        """Another one whenever the content may be another."""
        return self.info(path)["etag"]

    def checksum(self, path):
        return int(self.ukey(path).replace("-", ""), 16)

    # ---- names

    def mkdir(self, path, create_parents=True, **kwargs):
        path = self._strip_protocol(path)
        if create_parents:
            self.makedirs(self._parent(path), exist_ok=True)
        if self.exists(path):
            raise FileExistsError(17, "already exists", path)
        self.way.mkdir(path)

    def makedirs(self, path, exist_ok=False):
        path = self._strip_protocol(path)
        if path == self.root_marker:
            return
        try:
            self.way.mkdir(path)
        except FileExistsError:
            if not exist_ok or not self.isdir(path):
                raise
        except FileNotFoundError:
            self.makedirs(self._parent(path), exist_ok=True)
            self.makedirs(path, exist_ok=exist_ok)

    def rmdir(self, path):
        self.way.rmdir(self._strip_protocol(path))

    def rm_file(self, path):
        self.way.remove(self._strip_protocol(path))

    def _rm(self, path):
        self.rm_file(path)

    def rm(self, path, recursive=False, maxdepth=None):
        if maxdepth is not None:
            super().rm(path, recursive=recursive, maxdepth=maxdepth)
            return
        named = path if isinstance(path, (list, tuple)) else [path]
        for one in named:
            for found in self.expand_path(one) if not self.exists(one) else [self._strip_protocol(one)]:
                info = self.info(found)
                if info["type"] != "directory" or info.get("islink"):
                    self.way.remove(found)
                elif recursive:
                    self.way.remove_tree(found)
                else:
                    self.way.rmdir(found)

    def cp_file(self, path1, path2, **kwargs):
        path1, path2 = self._strip_protocol(path1), self._strip_protocol(path2)
        if self.isdir(path1):
            self.makedirs(path2, exist_ok=True)
        else:
            self.makedirs(self._parent(path2), exist_ok=True)
            self.way.copy(path1, path2)

    def mv(self, path1, path2, recursive=False, maxdepth=None, **kwargs):
        """One file or directory in one step; several are copied and removed."""
        if not isinstance(path1, str) or not isinstance(path2, str) or maxdepth is not None or not self.exists(path1):
            super().mv(path1, path2, recursive=recursive, maxdepth=maxdepth, **kwargs)
            return
        into = path2.endswith("/") or self.isdir(path2)
        path1, path2 = self._strip_protocol(path1), self._strip_protocol(path2)
        if into:
            path2 = path2.rstrip("/") + "/" + path1.rsplit("/", 1)[1]
        self.makedirs(self._parent(path2), exist_ok=True)
        self.way.rename(path1, path2)

    def mv_file(self, path1, path2, **kwargs):
        self.way.rename(self._strip_protocol(path1), self._strip_protocol(path2))

    def touch(self, path, truncate=True, **kwargs):
        path = self._strip_protocol(path)
        if truncate or not self.exists(path):
            self.makedirs(self._parent(path), exist_ok=True)
            self.way.writer(path, exclusive=False).finish()
        else:
            self.way.touch(path)

    # ---- contents

    def cat_file(self, path, start=None, end=None, **kwargs):
        path = self._strip_protocol(path)
        if start is None and end is None:
            end_of_file = self.info(path)
            if end_of_file["type"] == "directory":
                raise IsADirectoryError(21, "is a directory", path)
            return self.way.read(path, 0, end_of_file["size"])
        start = start or 0
        if start < 0 or end is None or end < 0:
            size = self.info(path)["size"]
            start = max(0, size + start) if start < 0 else start
            end = size if end is None else size + end if end < 0 else end
        return self.way.read(path, start, end)

    def _open(self, path, mode="rb", block_size=None, autocommit=True, cache_options=None, **kwargs):
        kind = mode.replace("b", "").replace("t", "")
        if kind not in ("r", "w", "a", "x"):
            raise NotImplementedError("mode %r: files of a farm are opened by r, w, a or x here" % mode)
        if self.auto_mkdir and kind != "r":
            self.makedirs(self._parent(path), exist_ok=True)
        return GridfarmFile(
            self,
            path,
            mode=kind + "b",
            block_size=block_size or self.block_size,
            autocommit=autocommit,
            cache_options=cache_options,
            **kwargs,
        )


class GridfarmFile(AbstractBufferedFile):
    """
    A file of a farm. What is read is cached by blocks. What is written is seen, as a whole, when the file is closed, or, within a
    transaction, when that is committed; what is appended is seen as it is sent.
    """

    def __init__(self, fs, path, mode="rb", block_size=_BLOCK_BYTES, **kwargs):
        self._reader = None
        self._writer = None
        self._spooled = None
        self._beside = None
        self._exclusive = mode == "xb"
        if mode == "rb":
            found = fs.info(path)
            if found["type"] == "directory":
                raise IsADirectoryError(21, "is a directory", path)
            kwargs.setdefault("size", found["size"])
            self._reader = fs.way.reader(path)  # before fsspec's caches begin to ask
        elif self._exclusive and fs.exists(path):
            raise FileExistsError(17, "already exists", path)
        super().__init__(fs, path, "wb" if self._exclusive else mode, block_size=block_size, **kwargs)
        if mode == "ab":
            self.loc = fs.info(path)["size"] if fs.exists(path) else 0

    @property
    def closed(self):
        """Also of one that could not be opened."""
        return getattr(self, "_closed", True)

    @closed.setter
    def closed(self, value):
        self._closed = value

    # ---- fsspec's frame asks for these

    def _fetch_range(self, start, end):
        return self._reader.read(start, end)

    def _initiate_upload(self):
        way = self.fs.way
        if self.mode == "ab":
            if self.autocommit:
                self._writer = way.appender(self.path)
            else:
                self._spooled = tempfile.TemporaryFile()
        elif self.autocommit:
            self._writer = way.writer(self.path, self._exclusive)
        else:
            self._beside = beside(self.path)
            self._writer = way.writer(self._beside, exclusive=True)

    def _upload_chunk(self, final=False):
        piece = self.buffer.getvalue()
        if self._spooled is not None:
            self._spooled.write(piece)
        else:
            self._writer.write(piece)
        if final and self._writer is not None:
            writer, self._writer = self._writer, None
            writer.finish()
        return True

    # ---- transactions

    def commit(self):
        if self._spooled is not None:
            self._spooled.seek(0)
            appender = self.fs.way.appender(self.path)
            for piece in iter(lambda: self._spooled.read(self.blocksize), b""):
                appender.write(piece)
            appender.finish()
            self._spooled.close()
        elif self._beside is not None:
            if self._exclusive and self.fs.exists(self.path):
                self.discard()
                raise FileExistsError(17, "already exists", self.path)
            self.fs.way.rename(self._beside, self.path)
            self._beside = None

    def discard(self):
        if self._spooled is not None:
            self._spooled.close()
        elif self._beside is not None:
            beside_it, self._beside = self._beside, None
            try:
                self.fs.way.remove(beside_it)
            except FileNotFoundError:
                pass  # it was never whole

    def close(self):
        if self.closed:
            return
        try:
            super().close()
        finally:
            self.abandon()

    def abandon(self):
        """Of what was not finished nothing stays."""
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.abandon()
            self.closed = True
        if self._reader is not None:
            self._reader.close()

    def __exit__(self, kind, value, trace):
        if kind is not None and not self.readable():
            self.abandon()  # a program that failed in the middle has written nothing
            self.closed = True
            return
        self.close()

    def seek(self, loc, whence=0):
        if not self.readable():
            raise OSError(29, "only files that are read can be sought in", self.path)
        return super().seek(loc, whence)

    def truncate(self, size=None):
        raise io.UnsupportedOperation("truncate")

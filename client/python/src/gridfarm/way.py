"""What the file system needs of a farm, whichever way leads to it."""

import abc
import secrets


class Way(abc.ABC):
    """A way to the farm. Thread-safe. Paths are absolute; failures are those of ``os``: OSError with an errno."""

    @abc.abstractmethod
    def info(self, path):
        """One file or directory, links followed, as a dict with fsspec's keys."""

    @abc.abstractmethod
    def list(self, path):
        """The entries of a directory, each as :meth:`info`; NotADirectoryError of a file."""

    @abc.abstractmethod
    def read(self, path, start, end):
        """Bytes from start up to end, fewer only at the end of the file."""

    @abc.abstractmethod
    def reader(self, path):
        """A file that is open for reading: ``read(start, end)`` and ``close()``."""

    @abc.abstractmethod
    def writer(self, path, exclusive):
        """
        Takes the content of a file: ``write(bytes)``, then ``finish()`` gives it its name in one step, or ``abandon()``
        leaves nothing of it. With ``exclusive`` FileExistsError where the name is taken in the end.
        """

    @abc.abstractmethod
    def appender(self, path):
        """Goes on at the end of a file, which is made where there is none; as :meth:`writer`, but pieces are seen at once."""

    @abc.abstractmethod
    def mkdir(self, path):
        """One directory, whose parent is there."""

    @abc.abstractmethod
    def rmdir(self, path):
        """An empty directory."""

    @abc.abstractmethod
    def remove(self, path):
        """A file or a link."""

    @abc.abstractmethod
    def remove_tree(self, path):
        """A directory with everything below it."""

    @abc.abstractmethod
    def rename(self, path, target):
        """In one step; a file that has the new name is replaced."""

    @abc.abstractmethod
    def copy(self, path, target):
        """The content of a file, which is seen in one step."""

    @abc.abstractmethod
    def touch(self, path):
        """Sets the times of a file to this moment."""


def beside(path):
    """A name in the same directory that nobody else uses: what a program that died left behind begins with ``.upload.``"""
    return path.rsplit("/", 1)[0] + "/.upload." + secrets.token_hex(12)

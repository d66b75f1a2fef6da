"""Random calls on one file through several mounts at once, against a model in memory: what fsx does, interleaved.

    interleaved.py FILE[,FILE...] [--operations N] [--seed N]

FILE is the same file, as each mount shows it. Every call goes through a mount chosen at random, by a descriptor that was opened earlier
or is opened for it; what was written through one must be read through all, at once. The operations before the first difference are
printed.
"""

import argparse
import ctypes
import mmap
import os
import random
import sys

libc = ctypes.CDLL(None, use_errno=True)
KEEP_SIZE, PUNCH_HOLE, ZERO_RANGE = 1, 2, 16
LENGTH_MAX = 256 * 1024
OPERATION_MAX = 64 * 1024
REMEMBERED = 60


def fallocate(fd, mode, offset, length):
    if libc.fallocate(fd, mode, ctypes.c_long(offset), ctypes.c_long(length)) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


class Difference(Exception):
    pass


class Exerciser:
    def __init__(self, files, seed):
        self.random = random.Random(seed)
        self.files = files
        self.model = bytearray()
        self.open = [os.open(file, os.O_RDWR | os.O_CREAT) for file in files]
        self.local = os.memfd_create("sent")
        self.done = []

    def fill(self, length):
        return self.random.randbytes(length)

    def range(self):
        length = self.random.choice([1, 7, 512, 4096, self.random.randint(1, OPERATION_MAX)])
        offset = self.random.randint(0, LENGTH_MAX - length)
        if self.random.random() < 0.2:
            offset -= offset % 4096
        return offset, length

    def put(self, offset, data):
        if offset > len(self.model):
            self.model.extend(bytes(offset - len(self.model)))
        self.model[offset:offset + len(data)] = data

    def same(self, what, got, offset, length):
        expected = bytes(self.model[offset:offset + length])
        if got != expected:
            at = next((i for i, (a, b) in enumerate(zip(got, expected)) if a != b), min(len(got), len(expected)))
            raise Difference(f"{what}: {len(got)} bytes for {len(expected)}, different from byte {offset + at}")

    # ---- operations: each takes the descriptor of one mount

    def read(self, fd):
        offset, length = self.range()
        self.say("read", offset, length)
        self.same("read", os.pread(fd, length, offset), offset, length)

    def sent(self, fd):
        start, length = self.range()
        self.say("sent", start, length)
        offset = start
        expected = max(0, min(length, len(self.model) - offset))
        self.see_size(fd)
        os.ftruncate(self.local, 0)
        os.lseek(self.local, 0, os.SEEK_SET)
        count = 1
        while expected > 0 and count > 0:
            count = os.sendfile(self.local, fd, offset, expected)
            offset += count
            expected -= count
        self.same("sent", os.pread(self.local, length, 0), start, length)

    def write(self, fd):
        offset, length = self.range()
        self.say("write", offset, length)
        data = self.fill(length)
        if os.pwrite(fd, data, offset) != length:
            raise Difference("a short write")
        self.put(offset, data)

    def append(self, fd):
        length = self.random.randint(1, 5000)
        if len(self.model) + length > LENGTH_MAX:
            return
        self.say("append", length)
        data = self.fill(length)
        other = os.open(f"/proc/self/fd/{fd}", os.O_WRONLY | os.O_APPEND)
        try:
            if os.write(other, data) != length:
                raise Difference("a short append")
        finally:
            os.close(other)
        self.put(len(self.model), data)

    def truncate(self, fd):
        size = self.random.randint(0, LENGTH_MAX)
        self.say("truncate", size)
        os.ftruncate(fd, size)
        if size < len(self.model):
            del self.model[size:]
        else:
            self.model.extend(bytes(size - len(self.model)))

    def see_size(self, fd):
        """The kernel ends copies and mappings at the size that it has seen last; an answer that crosses a recall is not one."""
        os.fstat(fd)
        os.fstat(fd)

    def mapped_read(self, fd):
        offset, length = self.range()
        length = min(length, len(self.model) - offset)
        if length <= 0:
            return
        self.see_size(fd)
        self.say("mapped read", offset, length)
        with mmap.mmap(fd, len(self.model), prot=mmap.PROT_READ) as memory:
            self.same("mapped read", memory[offset:offset + length], offset, length)

    def mapped_write(self, fd):
        offset, length = self.range()
        length = min(length, len(self.model) - offset)
        if length <= 0:
            return
        self.say("mapped write", offset, length)
        self.see_size(fd)
        data = self.fill(length)
        with mmap.mmap(fd, len(self.model)) as memory:
            memory[offset:offset + length] = data
            memory.flush()
        self.put(offset, data)

    def punch(self, fd):
        offset, length = self.range()
        self.say("punch", offset, length)
        fallocate(fd, PUNCH_HOLE | KEEP_SIZE, offset, length)
        end = min(len(self.model), offset + length)
        if end > offset:
            self.model[offset:end] = bytes(end - offset)

    def zero(self, fd):
        offset, length = self.range()
        self.say("zero", offset, length)
        fallocate(fd, ZERO_RANGE, offset, length)
        self.put(offset, bytes(length))

    def allocate(self, fd):
        offset, length = self.range()
        self.say("allocate", offset, length)
        fallocate(fd, 0, offset, length)
        if offset + length > len(self.model):
            self.model.extend(bytes(offset + length - len(self.model)))

    def copy(self, fd):
        source, length = self.range()
        target = self.random.randint(0, LENGTH_MAX - length)
        length = min(length, len(self.model) - source)
        if length <= 0 or abs(source - target) < length:
            return
        self.say("copy", source, target, length)
        data = bytes(self.model[source:source + length])
        self.see_size(fd)
        copied = os.copy_file_range(fd, fd, length, source, target)
        if copied == 0:
            raise Difference("nothing was copied")
        self.put(target, data[:copied])

    def size(self, fd):
        self.say("size")
        found = os.fstat(fd).st_size
        if found != len(self.model):
            raise Difference(f"a size of {found} for {len(self.model)}")

    def sync(self, fd):
        self.say("sync")
        os.fsync(fd)

    def reopen(self, fd):
        self.say("reopen")
        at = self.open.index(fd)
        if self.random.random() < 0.5:
            os.close(fd)
            self.open[at] = os.open(self.files[at], os.O_RDWR)
        else:
            self.open[at] = os.open(self.files[at], os.O_RDWR)
            os.close(fd)

    # ---- the run

    def say(self, *what):
        self.done.append((self.mount,) + what)
        del self.done[:-REMEMBERED]

    def run(self, operations):
        kinds = [self.read] * 6 + [self.sent] * 2 + [self.write] * 6 + [
            self.append, self.truncate, self.mapped_read, self.mapped_write, self.punch, self.zero, self.allocate, self.copy,
            self.size, self.sync, self.reopen]
        for self.count in range(operations):
            self.mount = self.random.randrange(len(self.files))
            self.random.choice(kinds)(self.open[self.mount])
        for self.mount, fd in enumerate(self.open):
            self.size(fd)
            self.same("in the end", os.pread(fd, LENGTH_MAX, 0), 0, LENGTH_MAX)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files")
    parser.add_argument("--operations", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    exerciser = Exerciser(given.files.split(","), given.seed)
    try:
        exerciser.run(given.operations)
    except (Difference, OSError, ValueError) as e:  # mmap knows the size by its own stat
        for operation in exerciser.done:
            print(*operation)
        print(f"seed {given.seed}, after {exerciser.count} operations: {e}")
        return 1
    print(f"{given.operations} operations, no difference")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""inplace.py FILE ELSEWHERE SEED ROUNDS: a file that has content is changed in place in every way, through one descriptor or two; what was
acknowledged is seen at once at both of its paths, which are two mounts. Exits with 1 at the first difference."""
import mmap
import os
import random
import sys
import time

MEBI = 1 << 20
SIZES = 60_000, 700_000  # from below the size from which the kernel is given the file
STEP_SECONDS = 1.1  # the times of a file tell after that whether it was changed


class File:
    def __init__(self, here, elsewhere, dice):
        self.here = here
        self.elsewhere = elsewhere
        self.dice = dice
        self.model = bytearray()
        self.history = []

    def random_bytes(self, most):
        return self.dice.randbytes(self.dice.randrange(1, most))

    def fail(self, where, what):
        print(f"{where}: {what}, after", *self.history[-12:], sep="\n  ")
        sys.exit(1)

    def check(self):
        for path in self.here, self.elsewhere:
            with open(path, "rb") as f:
                found = f.read()
            if found != self.model:
                at = next((i for i, (a, b) in enumerate(zip(found, self.model)) if a != b), min(len(found), len(self.model)))
                self.fail(path, f"{len(found)} bytes instead of {len(self.model)}, different at {at}")
            if os.stat(path).st_size != len(self.model):
                self.fail(path, f"stat says {os.stat(path).st_size} bytes instead of {len(self.model)}")

    # ---- changes through a descriptor

    def put(self, at, data):
        if at > len(self.model):
            self.model.extend(bytes(at - len(self.model)))
        self.model[at:at + len(data)] = data

    def write(self, fd):
        at = self.dice.randrange(len(self.model) + 5_000)
        data = self.random_bytes(20_000)
        if os.pwrite(fd, data, at) != len(data):
            self.fail(self.here, "a short write")
        self.put(at, data)
        return f"write {len(data)} at {at}"

    def store(self, fd):
        if len(self.model) == 0:
            return "nothing to map"
        at = self.dice.randrange(len(self.model))
        data = self.random_bytes(9_000)[:len(self.model) - at]
        with mmap.mmap(fd, len(self.model)) as mapped:
            mapped[at:at + len(data)] = data
        os.fsync(fd)  # others hear of it then
        self.put(at, data)
        return f"store {len(data)} at {at}"

    def resize(self, fd):
        size = self.dice.randrange(*SIZES)
        os.ftruncate(fd, size)
        del self.model[size:]
        self.model.extend(bytes(size - len(self.model)))
        return f"truncate to {size}"

    def allocate(self, fd):
        at = self.dice.randrange(len(self.model) + 1)
        length = self.dice.randrange(1, 50_000)
        os.posix_fallocate(fd, at, length)
        self.model.extend(bytes(max(0, at + length - len(self.model))))
        return f"allocate {length} at {at}"

    def sync(self, fd):
        how = self.dice.choice([os.fsync, os.fdatasync])
        how(fd)
        return how.__name__

    def read(self, fd):
        at = self.dice.randrange(len(self.model) + 1)
        if os.pread(fd, 30_000, at) != self.model[at:at + 30_000]:
            self.fail(self.here, f"read at {at}")
        return f"read at {at}"

    def look(self, fd):
        self.check()
        return "look elsewhere"

    def change(self, *descriptors):
        for _ in range(self.dice.randrange(1, 7)):
            how = self.dice.choice([self.write, self.write, self.store, self.resize, self.allocate, self.sync, self.read, self.look])
            self.history.append("  " + how(self.dice.choice(descriptors)))

    # ---- rounds

    def one_descriptor(self):
        fd = os.open(self.here, os.O_RDWR)
        self.change(fd)
        os.close(fd)

    def two_descriptors(self):
        one = os.open(self.here, os.O_RDWR)
        other = os.open(self.dice.choice([self.here, self.here, self.elsewhere]), os.O_RDWR)
        self.change(one, other)
        os.close(one)
        self.change(other)
        os.close(other)

    def beside_a_reader(self):
        reader = os.open(self.here, os.O_RDONLY)
        fd = os.open(self.here, os.O_RDWR)
        self.change(fd)
        self.read(reader)
        os.close(fd)
        self.read(reader)
        os.close(reader)

    def appended(self):
        fd = os.open(self.here, os.O_RDWR)
        self.change(fd)
        with open(self.here, "ab") as end:
            data = self.random_bytes(9_000)
            end.write(data)
        self.model.extend(data)
        os.close(fd)

    def rewritten(self):
        fd = os.open(self.here, os.O_RDWR | os.O_TRUNC)
        self.model.clear()
        for _ in range(self.dice.randrange(30)):
            self.write(fd)
        os.close(fd)

    def elsewhere_first(self):
        fd = os.open(self.elsewhere, os.O_RDWR)
        self.change(fd)
        os.close(fd)

    def only_opened(self):
        time.sleep(max(0.0, os.stat(self.here).st_mtime + STEP_SECONDS - time.time()))
        before = os.stat(self.here), os.stat(self.elsewhere)
        fd = os.open(self.here, os.O_RDWR)
        self.read(fd)
        if self.dice.random() < 0.5:
            os.close(os.dup(fd))
        os.close(fd)
        after = os.stat(self.here), os.stat(self.elsewhere)
        for b, a in zip(before, after):
            if (b.st_mtime_ns, b.st_ctime_ns) != (a.st_mtime_ns, a.st_ctime_ns):
                self.fail(self.here, f"changed by an open: {b} {a}")


def main(here, elsewhere, seed, rounds):
    file = File(here, elsewhere, random.Random(seed))
    file.model.extend(file.dice.randbytes(300_000))
    with open(here, "wb") as f:
        f.write(file.model)
    rare = [file.only_opened]
    often = [file.one_descriptor, file.two_descriptors, file.beside_a_reader, file.appended, file.rewritten, file.elsewhere_first]
    for i in range(rounds):
        how = file.dice.choice(often * 3 + rare)
        file.history.append(how.__name__)
        how()
        file.check()
    print(rounds, "rounds,", len(file.history), "steps")


main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))

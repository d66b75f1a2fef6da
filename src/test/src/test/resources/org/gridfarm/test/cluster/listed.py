"""listed.py DIRECTORY OTHER [--rounds N] [--seed N]: changes a directory through two mounts in turn, and lists it through the
first: anew each time, and by streams that stay open and are rewound. Each listing must tell what is there."""

import argparse
import ctypes
import itertools
import os
import random
import sys

libc = ctypes.CDLL("libc.so.6", use_errno=True)
libc.opendir.restype = ctypes.c_void_p
libc.readdir64.restype = ctypes.c_void_p
NAME_AT = 19  # struct dirent64


class Stream:
    """A directory that stays open."""

    def __init__(self, path):
        self.stream = ctypes.c_void_p(libc.opendir(path.encode()))
        assert self.stream.value, os.strerror(ctypes.get_errno())

    def names(self):
        libc.rewinddir(self.stream)
        found = set()
        while entry := libc.readdir64(self.stream):
            found.add(ctypes.string_at(entry + NAME_AT).decode())
        return found - {".", ".."}


arguments = argparse.ArgumentParser()
arguments.add_argument("directory")
arguments.add_argument("other")
arguments.add_argument("--rounds", type=int, default=2000)
arguments.add_argument("--seed", type=int, default=1)
options = arguments.parse_args()
random = random.Random(options.seed)
os.mkdir(options.directory)
there = set()
for number in range(random.randrange(300)):  # more than one page of the kernel's
    there.add(f"a-name-that-takes-some-room-{number}")
    os.mkdir(f"{options.other}/a-name-that-takes-some-room-{number}")
streams = []
numbers = itertools.count()


def change(directory):
    kind = random.randrange(4)
    name = f"n{next(numbers)}"
    if kind == 0 or not there:
        os.close(os.open(f"{directory}/{name}", os.O_CREAT | os.O_WRONLY))
        there.add(name)
    elif kind == 1:
        os.mkdir(f"{directory}/{name}")
        there.add(name)
    else:
        gone = random.choice(sorted(there))
        there.remove(gone)
        if kind == 2:
            os.rename(f"{directory}/{gone}", f"{directory}/{name}")
            there.add(name)
        elif os.path.isdir(f"{directory}/{gone}"):
            os.rmdir(f"{directory}/{gone}")
        else:
            os.unlink(f"{directory}/{gone}")


def check(how, names):
    if names != there:
        sys.exit(f"round {turn}, {how}: {sorted(names - there)} too many, {sorted(there - names)} missing")


for turn in range(options.rounds):
    for _ in range(random.randrange(3)):
        change(random.choice((options.directory, options.other)))
    for _ in range(random.randrange(4)):
        how = random.randrange(4)
        if how == 0:
            check("scandir", {entry.name for entry in os.scandir(options.directory)})
        elif how == 1 and len(streams) < 3:
            streams.append(Stream(options.directory))
            check("opened", streams[-1].names())
        elif streams and how == 2:
            check("rewound", random.choice(streams).names())
        else:
            check("listdir", set(os.listdir(options.directory)))
print(f"{options.rounds} rounds, {len(there)} names")

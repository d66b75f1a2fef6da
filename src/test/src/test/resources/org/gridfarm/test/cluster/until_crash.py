"""until_crash.py DIR ROOT SEED LOG: makes, renames and removes files in new directories of DIR and syncs now and then, until the
file system fails. LOG has a line before each step and one after it, so that a test knows what was answered. ROOT is where the
file system is mounted."""

import os
import random
import sys

DIRECTORIES = ("a", "b", "c")
LINES = 300


def content(name):
    return (name + "\n") * LINES


def write(path, text):
    with open(path, "x") as file:
        file.write(text)


def sync(path):
    f = os.open(path, os.O_RDONLY)
    try:
        os.fsync(f)
    finally:
        os.close(f)


def main(directory, root, seed, log):
    rng = random.Random(seed)
    names = []
    made = 0

    def at(name):
        return os.path.join(directory, name)

    def step(what, *words):
        said("begin", what, *words)
        if what == "mkdir":
            os.mkdir(at(words[0]))
        elif what == "make":
            write(at(words[0]), content(words[0]))
        elif what == "rename":
            os.rename(at(words[0]), at(words[1]))
        elif what == "remove":
            os.unlink(at(words[0]))
        elif what == "sync":
            sync(at(words[0]))
        else:
            sync(root)
        said("done")

    with open(log, "w", buffering=1) as lines:

        def said(*words):
            print(*words, file=lines)

        try:
            for name in DIRECTORIES:
                step("mkdir", name)
            while True:
                chance = rng.random()
                if chance < 0.7 or not names:
                    name = f"{rng.choice(DIRECTORIES)}/f{made}"
                    made += 1
                    step("make", name)
                    names.append(name)
                elif chance < 0.85:
                    old = names.pop(rng.randrange(len(names)))
                    new = f"{rng.choice(DIRECTORIES)}/r{made}"
                    made += 1
                    step("rename", old, new)
                    names.append(new)
                elif chance < 0.97:
                    step("remove", names.pop(rng.randrange(len(names))))
                elif chance < 0.99:
                    step("sync", names[-1])
                else:
                    step("sync-all")
        except OSError as e:
            said("broken", e)


main(*sys.argv[1:])

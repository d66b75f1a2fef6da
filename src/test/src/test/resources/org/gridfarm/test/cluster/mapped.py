"""mapped.py FILE HOW [OTHER]: changes a file through a shared mapping while somebody reads it. HOW says what else is the
case; OTHER is the same file through another mount. Prints what a read gives then."""

import mmap
import os
import sys

SIZE = 300_000
path, how = sys.argv[1], sys.argv[2]
with open(path, "wb") as file:
    file.write(b"a" * SIZE)
reader = open(path, "rb")
assert reader.read(10) == b"a" * 10
elsewhere = open(sys.argv[3], "r+b", buffering=0) if len(sys.argv) > 3 else None
writer = os.open(path, os.O_RDWR)
if how == "reader-leaves":
    reader.close()
mapping = mmap.mmap(writer, SIZE)
if how == "closed-before":
    os.close(writer)
mapping[0:5] = b"first"
mapping[200_000:200_005] = b"later"
if how == "written-too":
    os.pwrite(writer, b"between", 100_000)
if elsewhere:
    os.pwrite(elsewhere.fileno(), b"elsewhere", 150_000)
mapping.flush()
mapping.close()
if how != "closed-before":
    os.close(writer)

"""mapped.py FILE HOW [OTHER]: changes a file, which is made if need be, through a shared mapping while somebody reads it.
HOW says what else is the case; OTHER is the same file through another mount, opened for writing before, or after where
HOW says so."""

import mmap
import os
import sys
import threading

SIZE = 300_000
path, how = sys.argv[1], sys.argv[2]
if not os.path.exists(path):
    with open(path, "wb") as file:
        file.write(b"a" * SIZE)
reader = open(path, "rb")
assert reader.read(10) == b"a" * 10
after = how in ("waits-first", "waits-then-writes")
elsewhere = open(sys.argv[3], "r+b", buffering=0) if len(sys.argv) > 3 and not after else None
writer = os.open(path, os.O_RDWR)
if after:
    elsewhere = open(sys.argv[3], "r+b", buffering=0)
if how == "reader-leaves":
    reader.close()
mapping = mmap.mmap(writer, SIZE)
if how == "closed-before":
    os.close(writer)
if how == "interleaved":
    # Every other byte of some pages comes from elsewhere, twice, while the ones between are stored here.
    def write_elsewhere():
        for text in (b"1", b"2"):
            for at in range(50_001, 54_000, 2):
                os.pwrite(elsewhere.fileno(), text, at)

    other = threading.Thread(target=write_elsewhere)
    other.start()
    for at in range(50_000, 54_000, 2):
        mapping[at] = ord("m")
        if at % 100 == 0:
            mapping.flush()
    other.join()
mapping[0:5] = b"first"
mapping[200_000:200_005] = b"later"
if how == "written-too":
    os.pwrite(writer, b"between", 100_000)
if elsewhere:
    os.pwrite(elsewhere.fileno(), b"elsewhere", 150_000)
if how.startswith("waits"):
    print("stored", flush=True)
    sys.stdin.readline()
    if how == "waits-then-writes":
        os.pwrite(writer, b"!", 299_999)  # goes to the nodes that are left
    try:
        os.fsync(writer)
    except OSError as refused:
        sys.exit(refused.errno)
mapping.flush()
mapping.close()
if how != "closed-before":
    os.close(writer)

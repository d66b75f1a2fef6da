"""come_and_go.py MOUNT MOUNT: what calls on names in a directory are told that comes and goes at the other mount."""
import errno, os, sys, threading
here, there = (mount + "/comes-and-goes" for mount in sys.argv[1:])
told = set()
def tell(call, *arguments):
    try:
        call(*arguments)
        told.add("done")
    except OSError as e:
        told.add(errno.errorcode[e.errno])
def come_and_go():
    while not over.is_set():
        os.mkdir(there)
        for wait in range(20):
            tell(os.stat, there)
        while True:
            try:
                os.rmdir(there)
                break
            except OSError as e:
                told.add(errno.errorcode[e.errno])
over = threading.Event()
other = threading.Thread(target=come_and_go)
other.start()
rounds = 0
while rounds < 400 or ("ENOTEMPTY" not in told and rounds < 20000):
    rounds += 1
    tell(os.mkdir, here + "/d")
    tell(os.rmdir, here + "/d")
    tell(os.symlink, "t", here + "/s")
    tell(os.stat, here + "/s/x")
    tell(os.unlink, here + "/s")
    tell(lambda: os.close(os.open(here + "/f", os.O_CREAT | os.O_WRONLY)))
    tell(os.rename, here + "/f", here + "/g")
    tell(os.unlink, here + "/g")
    tell(os.unlink, here + "/f")
over.set()
other.join()
print(sorted(told))

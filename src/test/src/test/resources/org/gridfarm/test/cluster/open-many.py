# open-many.py DIRECTORY FILES: as an ordinary user opens the directory until that is refused, and keeps all; after a line of input
# gives them up, and makes and keeps so many files; after another writes and reads these. Tells what became of each step in a line.
import errno
import os
import resource
import signal
import sys

directory, files = sys.argv[1], int(sys.argv[2])
_, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
os.setgid(12345)
os.setuid(12345)


def say(line):
    print(line, flush=True)


# One process may have fewer descriptors than a user may have on a mount: several share the work.
children = []
refused = "none"
ours, alive = os.pipe()  # until we end, however that is
while refused == "none" and len(children) < 30:
    answer, to = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(alive)
        try:
            held = [os.open(directory, os.O_RDONLY | os.O_DIRECTORY) for _ in range(2000)]
            os.write(to, b"none")
        except OSError as e:
            os.write(to, errno.errorcode[e.errno].encode())
        os.read(ours, 1)
        os._exit(0)
    children.append(child)
    refused = os.read(answer, 100).decode()
say(f"directories: {refused}")

sys.stdin.readline()
for child in children:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
opened = []
for i in range(files):
    opened.append(os.open(f"{directory}/f{i}", os.O_RDWR | os.O_CREAT))
    os.write(opened[i], b"first %d\n" % i)
say(f"files: {len(opened)}")

sys.stdin.readline()
lost = 0
for i, descriptor in enumerate(opened):
    try:
        os.pwrite(descriptor, b"second", 100)
        if os.pread(descriptor, 200, 0) != (b"first %d\n" % i).ljust(100, b"\0") + b"second":
            lost += 1
        os.close(descriptor)
    except OSError as e:
        print(f"f{i}: {e}", file=sys.stderr)
        lost += 1
say(f"lost: {lost}")

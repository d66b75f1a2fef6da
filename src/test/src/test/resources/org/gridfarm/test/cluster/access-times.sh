#!/bin/bash
# access-times.sh DIR: after each step on files in DIR, says whether an access time has moved, so that two file systems can be
# compared. Between steps the clock has to move by more than its grain.
cd "$1" || exit 1

step() { # WHAT FILE COMMAND...
    what=$1 file=$2
    before=$(stat -c %x "$file")
    shift 2
    sleep 0.02
    "$@" >/dev/null || echo "$what failed"
    [ "$(stat -c %x "$file")" = "$before" ] && echo "$what: stays" || echo "$what: moves"
}

head -c 300000 /dev/urandom >f
step 'open and close' f sh -c ': <f'
step 'read' f cat f
step 'read again' f cat f
step 'write' f sh -c 'echo more >>f'
exec 5<f
step 'read of an open file' f head -c 10 <&5
step 'once more' f head -c 10 <&5
exec 5<&-
step 'chmod' f chmod 700 f
step 'read after chmod' f cat f
step 'touch' f touch f
step 'mapping' f python3 -c 'import mmap; f = open("f"); print(mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)[5])'
touch -a -d '3 days ago' f
step 'read after three days' f cat f
touch -m -d '3 days ago' f
step 'set to what it was' f touch -a -r f f
echo abc >o
python3 -c 'import os
f = os.open("o", os.O_RDONLY)
os.read(f, 10)
os.utime(f, (1000000000, 1000000001))' # as cpio -a and backups do
echo "set after reading, before the close: $(stat -c %X o)"
echo abc >g
step 'read by who may write' g python3 -c 'open("g", "r+").read()'
head -c 300000 /dev/urandom >w
step 'read of more by who may write' w python3 -c 'open("w", "r+b").read()'
step 'write by who may read' g python3 -c 'open("g", "r+").write("x")'
printf '#!/bin/sh\necho ran\n' >s && chmod 755 s
step 'execution' s ./s
step 'copying' f cp f h
mkdir d && touch d/x
step 'listing' d ls d
step 'listing again' d ls d
step 'a new name' d touch d/y
step 'stat of a name' d stat d/y
step 'listing anew' d ls d
ln -s f l
step 'stat of a link' l stat l
step 'readlink' l readlink l

#!/bin/bash
# space.sh DIR: after each step on a file in DIR, its size and the blocks it takes, so that two file systems can be compared.
cd "$1" || exit 1

step() { # WHAT FILE COMMAND...
    what=$1 file=$2
    shift 2
    "$@" >/dev/null || echo "$what failed"
    stat -c "$what: %s bytes, %b blocks of %B" "$file"
}

step 'nothing' f touch f
step 'one byte' f sh -c 'printf x >f'
step 'a page and a bit' g dd if=/dev/zero of=g bs=5000 count=1 status=none
step 'only a hole' h truncate -s 10M h
step 'data in it' h dd if=/dev/zero of=h bs=4096 count=3 seek=100 conv=notrunc status=none
step 'longer' h truncate -s 20M h
step 'written behind its end' i sh -c 'dd if=/dev/zero of=i bs=4096 count=1 seek=1000 status=none'
step 'synced' i sync i
step 'hole filled' i dd if=/dev/zero of=i bs=4096 count=100 conv=notrunc status=none
step 'appended' i sh -c 'printf more >>i'
step 'hole dug' i fallocate -p -o 8192 -l 40960 i
step 'written again' i sh -c 'printf more >>i'
step 'cut to a hole' i truncate -s 1M i
step 'kept in reserve' j sh -c 'touch j; fallocate -n -l 1M j'
step 'written into it' j dd if=/dev/zero of=j bs=4096 count=2 conv=notrunc status=none
step 'reserved' k fallocate -l 1M k
step 'copied' l cp --sparse=always k l
step 'cut to nothing' k truncate -s 0 k

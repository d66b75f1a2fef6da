#!/bin/sh
# mount.gf SOURCE DIR [-sfnv] [-o OPTIONS]: what mount(8) calls for "mount -t gf" and for lines of fstab with type gf.
#
# SOURCE is "gf", or the configuration file of the farm. OPTIONS are those of gf mount; what only mount(8), fstab or systemd
# understand is left out. Installed as /sbin/mount.gf, and as mount.fuse.gf, which mount(8) calls for what is mounted already
# ("mount -o remount,ro DIR").
set -u

gf=/usr/local/bin/gf

[ $# -ge 2 ] || {
    echo "usage: mount.gf SOURCE DIR [-sfnv] [-o OPTIONS]" >&2
    exit 1
}
source=$1
dir=$2
case $source in
    */gf) source=gf ;; # mount(8) makes a path of it where the current directory has something of that name
esac
shift 2

options=source=$source
pretend=
remount=
while getopts sfnvN:t:o: letter; do
    case $letter in
        f) pretend=1 ;;
        o) wanted=$OPTARG,
            while [ -n "$wanted" ]; do
                option=${wanted%%,*}
                wanted=${wanted#*,}
                case $option in
                    remount) remount=$OPTARG ;;
                    '' | user | users | nouser | owner | group | user=* | comment=* | loop) ;;
                    *) options=$options,$option ;;
                esac
            done
            ;;
        *) ;;
    esac
done
[ -z "$pretend" ] || exit 0
[ -z "$remount" ] || exec mount -i -o "$remount" "$dir" # what the kernel sees to: ro, noexec, ...

# mount(8) wants 32 for a mount that failed.
case $source in
    */*) "$gf" mount --config "$source" -o "$options" "$dir" || exit 32 ;;
    *) "$gf" mount -o "$options" "$dir" || exit 32 ;;
esac

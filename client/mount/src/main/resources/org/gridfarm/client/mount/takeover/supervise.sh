# Holds the kernel's end of a mount open and keeps a process serving it.
#
#   sh THIS new|prepared STATE POINT COMMAND...
#
# COMMAND gets the words "--supervised STATE" and the device as descriptor 9. STATE is the ledger in which each process leaves to
# the next what it must know; beside it lie STATE.served (the mount was served once), .beat (changes while the process lives),
# .server, .standby and .pid (numbers of the process, of the one that waits for its turn, and of this shell) and .command (words of
# a COMMAND to use from the next start on). A second process stands by, started and warm, and goes on as soon as the first one is
# gone: the ledger is locked by whoever serves. TERM ends the mount, HUP has a new process stand by. "prepared": the device is
# mounted already.
mode=$1
state=$2
point=$3
shift 3

say() {
    printf '%s WARN  [supervisor] %s\n' "$(date -u +%Y-%m-%dT%H:%M:%S.%3NZ)" "$*" >&2
}

seconds() {
    date +%s
}

# By force: a thread that the kernel keeps of a process waits for an answer of the mount, which nobody gives any more.
unmount() {
    if [ "$user" -eq 0 ]; then umount -f -l "$point"; else fusermount3 -u -z "$point"; fi 2>/dev/null
}

# A ledger without entries and a device without a mount.
fresh() {
    rm -f "$state.served" "$state.beat" "$state.command" "$state.own"
    : >"$state" || exit 73
    if [ "$user" -ne 0 ]; then
        # fusermount3 mounts for ordinary users; the program makes it do so and becomes this script again.
        exec "$@" --supervised "$state" --prepare
    fi
    if [ ! -r /dev/fuse ] || [ ! -w /dev/fuse ]; then
        say "cannot open /dev/fuse (is the fuse module loaded?)"
        exit 69
    fi
    exec 9<>/dev/fuse
}

# The words of COMMAND that stand now.
run() {
    if [ -s "$state.command" ]; then
        eval "set -- $(cat "$state.command")"
    fi
    exec "$@" --supervised "$state"
}

# In the place of the one that stands by, if there is one.
stand_by() {
    [ -n "$standbys" ] || return
    [ -z "$standby" ] || kill -KILL "$standby" 2>/dev/null
    rm -f "$state.standby"
    run "$@" &
    standby=$!
}

# The process is gone but for a thread that waits in the kernel for a lock of somebody whose call only the next process can answer
# (an inode's, which a notice needs). It is no child that has ended, and has the ledger locked, as long as that lasts. It runs no code
# of its own any more: the next process gets a copy.
leave_behind() {
    [ -z "$standby" ] || kill -KILL "$standby" 2>/dev/null
    standby=
    rm -f "$state.standby"
    say "process $child has ended, and the kernel keeps a thread of it"
    cp -p "$state" "$state.next" && mv "$state.next" "$state" || say "no copy of $state"
}

# Has somebody stand by once PID serves, and ends it when it is stopped or its heart stands still: what waits for it would wait
# for ever.
watch() {
    exec 9>&- 2>/dev/null
    last=
    still=0
    stopped=0
    ended=0
    asked=
    hour=0
    while sleep 1 && kill -0 $$ && kill -0 "$1"; do
        beat=
        stat=
        [ -e "$state.beat" ] && read -r beat <"$state.beat"
        read -r stat <"/proc/$1/stat"
        case $stat in
            *') T '*) stopped=$((stopped + 1)) ;;
            *) stopped=0 ;;
        esac
        case $stat in
            *') Z '*) ended=$((ended + 1)) ;;
            *) ended=0 ;;
        esac
        if [ $ended -ge 2 ]; then
            kill -USR2 $$
            return
        fi
        if [ "$beat" = "$last" ]; then still=$((still + 1)); else still=0; fi
        last=$beat
        # Without any beat it is still starting. One that writes down for a start-up cache what it loaded stands still at its end.
        if [ -n "$beat" ] && [ -z "$rehearses" ]; then patience=5; else patience=30; fi
        if [ -n "$beat" ] && [ -z "$asked" ]; then
            asked=1
            kill -USR1 $$
        fi
        # What looks forgotten is cleared out of /tmp.
        hour=$(((hour + 1) % 3600))
        [ $hour -ne 1 ] || touch -c "$state" "$state".*
        if [ $stopped -ge 2 ] || [ $still -ge $patience ]; then
            kill -KILL "$1"
            return
        fi
    done
}

user=$(id -u)
ending=
failures=0
ends=0
minute=$(seconds)
child=
standby=
standbys=1
rehearses=
for word; do
    case ,$word, in
        *,nostandby,*) standbys= ;;
        ,-XX:AOTMode=record,) rehearses=1 ;;
    esac
done
echo $$ >"$state.pid" || exit 73
trap 'ending=1; [ -z "$child" ] || kill -TERM "$child" 2>/dev/null' TERM INT
trap '[ -n "$standby" ] || stand_by "$@"' USR1
trap 'stuck=1' USR2
trap 'if [ -n "$standbys" ]; then stand_by "$@"; else kill -KILL "$child" 2>/dev/null; fi' HUP

[ "$mode" = prepared ] || fresh "$@"
while :; do
    rm -f "$state.beat"
    if [ -n "$standby" ] && kill -0 "$standby" 2>/dev/null; then
        child=$standby # it goes on by itself
        rm -f "$state.standby"
    else
        run "$@" &
        child=$!
    fi
    standby=
    echo "$child" >"$state.server"
    watch "$child" &
    watcher=$!
    stuck=
    while :; do
        wait "$child"
        status=$?
        [ -z "$stuck" ] || break
        kill -0 "$child" 2>/dev/null || break
    done
    kill "$watcher" 2>/dev/null
    if [ -n "$stuck" ]; then
        status=137
        leave_behind
    fi
    if [ -n "$ending" ] || [ $status -eq 0 ] || [ ! -e "$state.served" ]; then
        break
    fi
    # One that served was no failure to start, but thirty in a minute are one to serve.
    if [ -e "$state.beat" ]; then failures=0; else failures=$((failures + 1)); fi
    if [ $(($(seconds) - minute)) -ge 60 ]; then
        minute=$(seconds)
        ends=0
    fi
    ends=$((ends + 1))
    if [ $failures -ge 5 ] || [ $ends -ge 30 ]; then
        [ -z "$standby" ] || kill -KILL "$standby" 2>/dev/null
        standby=
        say "$point cannot be gone on with (status $status): it is taken away and mounted anew; open files are lost"
        unmount
        failures=0
        ends=0
        fresh "$@"
    else
        say "the process serving $point ended with status $status: another goes on"
        [ $failures -eq 0 ] || sleep 1
    fi
done

[ $status -eq 0 ] || unmount
[ -z "$standby" ] || kill -KILL "$standby" 2>/dev/null
rm -f "$state" "$state.next" "$state.served" "$state.beat" "$state.command" "$state.own" "$state.server" "$state.standby" "$state.pid" "$state.sh"
[ -z "$ending" ] || exit 0
exit $status

package org.gridfarm.client.cli.slurm;

import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.NodeInfo;

import java.util.List;
import java.util.Map;

/**
 * What Slurm runs for each task of an array, in the words of /bin/sh: finds the farm's mount on its
 * node, reads in the spool which task it is, becomes that for as long as it runs, and leaves there
 * what it printed and how it ended. That is renamed to its place as the last thing, so it is whole
 * or not there.
 *
 * <p>No name of a file and no word of a command stands in it; they are in the spool.
 */
final class BatchScript {
    /** Without a mount of the farm on the node, as of a wrong configuration. */
    static final int NO_MOUNT = 78;

    /** The spool cannot be read or written. */
    static final int NO_SPOOL = 74;

    private static final String SCRIPT =
            """
            umask 077
            GF_NODE=$SLURMD_NODENAME GF_MOUNT=
            case $SLURMD_NODENAME in
            %s*) ;;
            esac
            [ -n "$GF_MOUNT" ] && [ -d "$GF_MOUNT$spool" ] || {
                GF_MOUNT=
                while read -r _ _ _ _ at rest; do
                    case " $rest " in *' - fuse.gf '*)
                        at=$(printf %%b "$(printf %%s "$at" | sed 's/\\\\/\\\\0/g')")
                        if [ -d "$at$spool" ]; then GF_MOUNT=$at; break; fi ;;
                    esac
                done </proc/self/mountinfo
            }
            [ -n "$GF_MOUNT" ] || exit 78
            s=$GF_MOUNT$spool
            set -- $(tail -c +$((SLURM_ARRAY_TASK_ID * %d + 1)) "$s/$batch" | head -c %d)
            [ $# = 4 ] || exit 74
            GF_TASK_ID=$(($1 + 1)) GF_ATTEMPT=$(($4 + ${SLURM_RESTART_COUNT:-0}))
            GF_JOB_ID=$SLURM_ARRAY_JOB_ID
            end=$s/end.$1.$GF_ATTEMPT out=$s/out.$1.$GF_ATTEMPT err=$s/err.$1.$GF_ATTEMPT
            slots=/tmp/.gf-slots-$(id -u)
            mkdir -m 700 "$slots" 2>/dev/null
            if [ -O "$slots" ] && ! [ -L "$slots" ]; then
                GF_SLOT=1
                while exec 9>"$slots/$SLURMD_NODENAME.$GF_SLOT" && ! flock -n 9; do
                    GF_SLOT=$((GF_SLOT + 1))
                done
            fi
            PATH=/usr/local/bin:/usr/bin:/bin LANG=${LANG:-C.UTF-8}
            USER=$(id -un) LOGNAME=$USER
            HOME=$(getent passwd "$(id -u)" | cut -d: -f6)
            HOME=${HOME:-$GF_MOUNT}
            export GF_MOUNT GF_NODE GF_TASK_ID GF_ATTEMPT GF_JOB_ID GF_SLOT PATH LANG USER LOGNAME HOME
            begun=$(date +%%s%%3N)
            {
                tail -c +$(($2 + 1)) "$s/tasks" | head -c $3 | {
                    read -r first && [ "$first" = '#gf' ] || exit 74
                    exec 9>&-
                    unset GF_VIA spool batch s end out err slots begun at rest first
                    exec %s
                }
            } >"$out" 2>"$err"
            status=$?
            [ -e "$err" ] || exit 74
            { echo "$status $begun $(date +%%s%%3N) $GF_NODE"; times; } >"$end.part" && mv "$end.part" "$end" || exit 74
            exit "$status"
            """;

    private BatchScript() {}

    /**
     * @param batch file of the spool that says which tasks the array has
     * @param hosts nodes of the farm by Slurm's names
     * @param timeoutMillis of each task; 0: none
     */
    static String of(
            FarmPath spool, String batch, Map<String, NodeInfo> hosts, long timeoutMillis) {
        StringBuilder cases = new StringBuilder();
        hosts.forEach((name, node) ->
                cases.append(Shell.quote(name))
                        .append(") GF_NODE=")
                        .append(Shell.quote(node.getName()))
                        .append(" GF_MOUNT=")
                        .append(Shell.quote(node.getMount()))
                        .append(" ;;\n"));
        return "#!/bin/sh\nspool="
                + Shell.quote(spool.toString())
                + " batch="
                + Shell.quote(batch)
                + "\n"
                + SCRIPT.formatted(
                        cases, Spool.ENTRY_BYTES, Spool.ENTRY_BYTES, reader(timeoutMillis));
    }

    /** What reads the task's own text and becomes the task. */
    private static String reader(long timeoutMillis) {
        return timeoutMillis == 0
                ? "/bin/sh"
                : String.join(
                        " ",
                        List.of(
                                "timeout --preserve-status -k 5",
                                "%d.%03d".formatted(timeoutMillis / 1000, timeoutMillis % 1000),
                                "/bin/sh"));
    }
}

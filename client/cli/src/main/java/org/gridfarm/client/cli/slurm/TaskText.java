package org.gridfarm.client.cli.slurm;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.name.VariableName;
import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.gridfarm.protocol.wire.TaskSpec;

import java.util.Map;
import java.util.Optional;

/**
 * One task in the words of /bin/sh, which reads it on the node and becomes it. The shell parses all
 * of it before it runs any; words go in single quotes as the bytes that they are. What a node of
 * the farm does for a task is done by the text itself: its directory, its environment, an empty
 * standard input.
 */
final class TaskText {
    private static final int COMMAND_NOT_RUN = 126;

    private TaskText() {}

    static byte[] of(SubmitJobRequest job, TaskSpec task, Optional<Publishing> out) {
        StringBuilder text = new StringBuilder("#gf\n{ umask 022; ");
        out.ifPresent(place -> text.append(place.prepared()));
        String directory = FarmPath.of(absolute(job.getDirectory())).toString();
        text.append("cd -- ")
                .append(Shell.mounted(directory))
                .append(" 2>/dev/null || { printf '%s\\n' ")
                .append(Shell.quote("gf: cannot enter directory " + directory))
                .append(" >&2; exit ")
                .append(COMMAND_NOT_RUN)
                .append("; }; unset OLDPWD; ");
        for (Map.Entry<String, ByteString> variable : job.getEnvironmentMap().entrySet()) {
            export(
                    text,
                    new VariableName(variable.getKey()).text(),
                    Shell.placed(NameText.of(variable.getValue().toByteArray())));
        }
        // The plain file of the node is the node's to show; through the mount it is the same file.
        for (int i = 0; i < task.getLocalsCount(); i++) {
            export(text, "GF_LOCAL_" + (i + 1), Shell.mounted(text(task.getLocals(i))));
        }
        text.append("exec");
        task.getArgvList().forEach(word -> text.append(' ').append(Shell.quote(text(word))));
        return NameText.bytes(text + " </dev/null; exit " + COMMAND_NOT_RUN + "; }\n");
    }

    private static void export(StringBuilder text, String name, String value) {
        text.append("export ").append(name).append('=').append(value).append("; ");
    }

    private static byte[] absolute(ByteString path) {
        return path.isEmpty() ? new byte[] {'/'} : path.toByteArray();
    }

    private static String text(ByteString word) {
        return NameText.of(word.toByteArray());
    }
}

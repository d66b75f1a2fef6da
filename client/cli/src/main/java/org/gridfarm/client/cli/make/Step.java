package org.gridfarm.client.cli.make;

import com.google.protobuf.ByteString;

import org.gridfarm.client.cli.run.JobRun;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.wire.TaskSpec;

import java.util.Set;

/**
 * One command of a rule with its files.
 *
 * @param spec with its output
 * @param inputs that it reads, whether they are there already or another step makes them
 */
public record Step(
        Rule rule, JobRun.Task task, TaskSpec spec, FarmPath output, Set<FarmPath> inputs) {
    /** What it does, whatever is in its files. */
    String text() {
        StringBuilder text = new StringBuilder();
        spec.getArgvList().forEach(word -> text.append(shown(word)).append('\n'));
        spec.getOutputsList().forEach(path -> text.append(shown(path)).append('\n'));
        return text.toString();
    }

    private static String shown(ByteString raw) {
        return NameText.of(raw.toByteArray());
    }
}

package org.gridfarm.client.cli.run;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.wire.TaskSpec;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A command without input sources: one task. A single word is the text of a shell; several words
 * are a program and its arguments, which no shell looks at. The files of the farm among them are
 * its input.
 */
public final class PlainCommand {
    private static final Pattern IN_TEXT = Pattern.compile("(?<![\\w/])gf:(/[^\\s;|&<>()'\"$`]*)");

    private PlainCommand() {}

    /**
     * @param inFarm the path in the farm that a word of the command stands for, if it does
     * @param isFile whether a path in the farm is that of a file
     */
    public static TaskSpec task(
            List<String> words,
            Function<String, Optional<String>> inFarm,
            Predicate<String> isFile) {
        if (words.size() == 1) {
            TaskSpec.Builder task = Template.plain(words.getFirst()).task(1, List.of()).toBuilder();
            Matcher names = IN_TEXT.matcher(words.getFirst());
            Set<String> inputs = new LinkedHashSet<>();
            while (names.find()) {
                if (isFile.test(names.group(1))) {
                    inputs.add(names.group(1));
                }
            }
            inputs.forEach(input -> task.addInputs(raw(input)));
            return task.build();
        }
        StringBuilder script = new StringBuilder("exec");
        TaskSpec.Builder task = TaskSpec.newBuilder();
        List<String> values = new ArrayList<>();
        for (int i = 0; i < words.size(); i++) {
            Optional<String> path = inFarm.apply(words.get(i));
            boolean isPath = path.isPresent();
            values.add(path.orElse(words.get(i)));
            script.append(" \"")
                    .append(isPath ? "${GF_MOUNT}" : "")
                    .append("${")
                    .append(i + 1)
                    .append("}\"");
            if (isPath) {
                task.setNeedsMount(true);
                if (isFile.test(path.get())) {
                    task.addInputs(raw(path.get()));
                }
            }
        }
        task.addArgv(raw("/bin/sh"))
                .addArgv(raw("-c"))
                .addArgv(raw(script.toString()))
                .addArgv(raw("sh"));
        values.forEach(value -> task.addArgv(raw(value)));
        return task.build();
    }

    private static ByteString raw(String text) {
        return ByteString.copyFrom(NameText.bytes(text));
    }
}

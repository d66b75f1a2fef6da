package org.gridfarm.client.cli.run;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.TaskSpec;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where the output of each task appears: a path of the farm with replacement strings, as in the
 * command.
 *
 * @param inFarm the path in the farm of what was given on this host
 */
public record OutputPattern(String text, UnaryOperator<String> inFarm) {
    private static final Pattern REPLACEMENT =
            Pattern.compile("\\{(#|[0-9]{0,3})(/\\.|//|/|\\.|)}");

    /**
     * The tasks with their outputs. USAGE if two of them would leave the same, or a path is none of
     * the farm.
     */
    public List<TaskSpec> of(List<TaskSpec> specs, List<JobRun.Task> tasks) {
        List<TaskSpec> changed = new ArrayList<>();
        Map<FarmPath, Integer> taken = new HashMap<>();
        for (int i = 0; i < specs.size(); i++) {
            int number = tasks.get(i).number();
            String path = inFarm.apply(of(tasks.get(i)));
            if (!path.startsWith("/")) {
                throw refused("no path of the farm: use gf:/path, or a path below a mount");
            }
            Integer other = taken.put(FarmPath.of(path), number);
            if (other != null) {
                throw refused(
                        "tasks %d and %d would both leave %s: use {#}, {/.} or the like"
                                .formatted(other, number, path));
            }
            changed.add(
                    specs.get(i).toBuilder()
                            .clearOutputs()
                            .addOutputs(JobRequest.raw(withSlash(path)))
                            .setNeedsMount(true)
                            .build());
        }
        return changed;
    }

    /** Which a path loses where it is found below a mount. */
    private String withSlash(String path) {
        return text.endsWith("/") && !path.endsWith("/") ? path + "/" : path;
    }

    private String of(JobRun.Task task) {
        return REPLACEMENT
                .matcher(text)
                .replaceAll(found -> Matcher.quoteReplacement(value(task, found)));
    }

    private static String value(JobRun.Task task, MatchResult found) {
        String source = found.group(1);
        List<Argument> arguments = task.arguments();
        if (source.equals("#")) {
            return Integer.toString(task.number());
        }
        int index = source.isEmpty() ? 1 : Integer.parseInt(source);
        return index >= 1 && index <= arguments.size()
                ? arguments.get(index - 1).part(found.group(2))
                : found.group();
    }

    private FarmException refused(String why) {
        return new FarmException(ErrorKind.USAGE, "run", "--out " + text, why);
    }
}

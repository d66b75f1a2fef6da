package org.gridfarm.client.cli.run;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.rpc.RpcLimits;
import org.gridfarm.protocol.trace.Trace;
import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.gridfarm.protocol.wire.TaskSpec;
import org.jspecify.annotations.Nullable;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A job as the scheduler is asked for it. */
public final class JobRequest {
    private static final int NAME_CHARS_MAX = 60; // of a job that got none
    private static final int OTHER_BYTES_MAX = 64 << 10; // of a request, beside its tasks
    private static final double MILLIS = 1e3;
    private static final Pattern TIME = Pattern.compile("([0-9]{1,9}(?:\\.[0-9]{1,3})?)([smhd]?)");

    private static final Pattern CLOCK =
            Pattern.compile("(?:([0-9]{1,5})-)?(?:([0-9]{1,5}):)?([0-9]{1,5}):([0-9]{1,2})");

    private JobRequest() {}

    private static long part(@Nullable String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }

    /** With these tasks; what their commands begin with in common is sent once. */
    public static SubmitJobRequest of(SubmitJobRequest.Builder options, List<TaskSpec> tasks) {
        int common = common(tasks);
        SubmitJobRequest.Builder request =
                options.setSubmission(new SecureRandom().nextLong() | 1)
                        .addAllArgvPrefix(tasks.getFirst().getArgvList().subList(0, common));
        long bytes = OTHER_BYTES_MAX;
        for (TaskSpec task : tasks) {
            List<ByteString> rest = task.getArgvList().subList(common, task.getArgvCount());
            TaskSpec one = task.toBuilder().clearArgv().addAllArgv(rest).build();
            bytes += one.getSerializedSize();
            if (bytes > RpcLimits.PAYLOAD_BYTES_MAX) {
                throw new FarmException(
                        ErrorKind.TOO_BIG,
                        "submit",
                        tasks.size() + " tasks",
                        "commands and arguments of a job take at most %d MiB: make several jobs of it"
                                .formatted(RpcLimits.PAYLOAD_BYTES_MAX >> 20));
            }
            request.addTasks(one);
        }
        return request.build();
    }

    /** How many words all commands begin with; at least one is left to each. */
    private static int common(List<TaskSpec> tasks) {
        List<ByteString> first = tasks.getFirst().getArgvList();
        int common = first.size() - 1;
        for (TaskSpec task : tasks) {
            common = Math.min(common, task.getArgvCount() - 1);
            for (int i = 0; i < common; i++) {
                if (!task.getArgv(i).equals(first.get(i))) {
                    common = i;
                }
            }
        }
        return Math.max(0, common);
    }

    public static String name(String given, List<String> words) {
        String name = given.isEmpty() ? String.join(" ", words) : given;
        return NameText.shown(
                given.isEmpty()
                        ? name.substring(0, Math.min(NAME_CHARS_MAX, name.length()))
                        : name);
    }

    /**
     * From {@code NAME=VALUE}, or {@code NAME} alone for what it is here. What tasks ask servers
     * for is of the trace of this command.
     */
    public static Map<String, ByteString> environment(List<String> words) {
        Map<String, ByteString> values = new HashMap<>();
        Trace trace = Trace.current();
        if (trace != null) values.put(Trace.VARIABLE, raw(trace.toString()));
        for (String word : words) {
            int equals = word.indexOf('=');
            String name = equals < 0 ? word : word.substring(0, equals);
            Optional<String> value =
                    equals < 0
                            ? Optional.ofNullable(System.getenv(name))
                            : Optional.of(word.substring(equals + 1));
            values.put(
                    name,
                    raw(
                            value.orElseThrow(() ->
                                    new FarmException(
                                            ErrorKind.USAGE,
                                            "run",
                                            "--env " + name,
                                            "it is not set here: give NAME=VALUE"))));
        }
        return values;
    }

    /**
     * Of {@code 90}, {@code 1.5s}, {@code 10m}, {@code 2h}, {@code 1d}, or as Slurm has it {@code
     * MM:SS}, {@code HH:MM:SS}, {@code D-HH:MM:SS}; zero for nothing.
     */
    public static Duration time(String text) {
        Matcher clock = CLOCK.matcher(text);
        if (clock.matches()) {
            return Duration.ofDays(part(clock.group(1)))
                    .plusHours(part(clock.group(2)))
                    .plusMinutes(part(clock.group(3)))
                    .plusSeconds(part(clock.group(4)));
        }
        Matcher matcher = TIME.matcher(text);
        if (!matcher.matches()) {
            throw new FarmException(
                    ErrorKind.USAGE,
                    "run",
                    text,
                    "no time: use seconds, or such as 90s, 10m, 2h, 1d, 1:30:00");
        }
        long unit =
                switch (matcher.group(2)) {
                    case "m" -> 60;
                    case "h" -> 3_600;
                    case "d" -> 86_400;
                    default -> 1;
                };
        return Duration.ofMillis(Math.round(Double.parseDouble(matcher.group(1)) * unit * MILLIS));
    }

    /**
     * The same tasks with further input, or placed by one file alone.
     *
     * @param only what decides the place instead of the input
     */
    public static List<TaskSpec> withInputs(
            List<TaskSpec> tasks, List<String> more, Optional<String> only, int slots) {
        List<TaskSpec> changed = new ArrayList<>();
        for (TaskSpec task : tasks) {
            TaskSpec.Builder one = task.toBuilder().setSlots(slots);
            if (one.getArgument().isEmpty() && task.getInputsCount() == 1) {
                one.setArgument(task.getInputs(0)); // which may not be the only one any more
            }
            more.forEach(input -> one.addInputs(raw(input)));
            only.ifPresent(input -> one.clearInputs().addInputs(raw(input)));
            changed.add(one.build());
        }
        return changed;
    }

    public static ByteString raw(String text) {
        return ByteString.copyFrom(NameText.bytes(text));
    }
}

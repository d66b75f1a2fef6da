package org.gridfarm.client.cli.make;

import com.google.protobuf.ByteString;

import org.gridfarm.client.cli.run.Argument;
import org.gridfarm.client.cli.run.JobRun;
import org.gridfarm.client.cli.run.OutputPattern;
import org.gridfarm.client.cli.run.Template;
import org.gridfarm.client.core.GlobPattern;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.wire.TaskSpec;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * From rules to steps: a pattern matches the files that are in the farm and those that other rules
 * make. Pure but for looking up patterns, which is passed in.
 */
final class Steps {
    /** As many as a job may have tasks. */
    private static final int STEPS_MAX = 100_000;

    /** Before the command: its parameters become the files of {@code in}, below the mount. */
    private static final String PARAMETERS =
            "for gf_in do shift; set -- \"$@\" \"${GF_MOUNT}${gf_in}\"; done; ";

    private final String name;
    private final List<Rule> rules;
    private final Function<String, List<FarmPath>> matching;
    private final Map<String, List<FarmPath>> found = new HashMap<>();
    private Map<FarmPath, Step> byOutput = new LinkedHashMap<>();

    private Steps(String name, List<Rule> rules, Function<String, List<FarmPath>> matching) {
        this.name = name;
        this.rules = rules;
        this.matching = matching;
    }

    /**
     * By their outputs, in the order of the rules.
     *
     * @param matching the files in the farm that match a pattern, or have that name
     */
    static Map<FarmPath, Step> of(
            String name, List<Rule> rules, Function<String, List<FarmPath>> matching) {
        Steps steps = new Steps(name, rules, matching);
        int before = -1;
        while (steps.byOutput.size() > before) { // what one rule makes another one may read
            before = steps.byOutput.size();
            steps.expand();
            steps.requireNoCircle(); // before what feeds itself grows
        }
        return steps.byOutput;
    }

    private void expand() {
        Map<FarmPath, Step> next = new LinkedHashMap<>();
        for (Rule rule : rules) {
            for (Step step : of(rule)) {
                Step other = next.putIfAbsent(step.output(), step);
                if (other != null) {
                    throw refused(
                            rule,
                            step.output()
                                    + " is also made by "
                                    + (other.rule().equals(rule)
                                            ? "another step of this rule: use {/.} or the like in 'out'"
                                            : "the rule of line " + other.rule().line()));
                }
                if (next.size() > STEPS_MAX) {
                    throw refused(rule, "there are more than " + STEPS_MAX + " steps");
                }
            }
        }
        byOutput = next;
    }

    private List<Step> of(Rule rule) {
        Set<FarmPath> read = new LinkedHashSet<>();
        for (String pattern : rule.in()) {
            Set<FarmPath> files = files(pattern);
            if (files.isEmpty() && !isPattern(pattern)) {
                files = Set.of(path(pattern)); // missed later if nobody makes it
            }
            read.addAll(files);
        }
        List<JobRun.Task> tasks = new ArrayList<>();
        List<TaskSpec> specs = new ArrayList<>();
        String command = (rule.in().isEmpty() ? "" : PARAMETERS) + rule.run();
        if (rule.each().isEmpty()) {
            tasks.add(new JobRun.Task(1, List.of(), rule.run()));
            specs.add(Template.plain(command).task(1, List.of()));
        } else {
            Set<FarmPath> values = new LinkedHashSet<>();
            rule.each().forEach(pattern -> values.addAll(files(pattern)));
            Template template = Template.of(List.of(command));
            Template shown = Template.of(List.of(rule.run()));
            for (FarmPath value : values) {
                int number = tasks.size() + 1;
                List<Argument> arguments = List.of(new Argument(value.toString(), true));
                tasks.add(new JobRun.Task(number, arguments, shown.text(number, arguments)));
                specs.add(template.task(number, arguments));
            }
        }
        List<TaskSpec> placed =
                new OutputPattern(rule.out(), path -> path)
                        .of(specs.stream().map(spec -> reading(spec, read)).toList(), tasks);
        List<Step> steps = new ArrayList<>();
        for (int i = 0; i < tasks.size(); i++) {
            steps.add(step(rule, tasks.get(i), placed.get(i)));
        }
        return steps;
    }

    /** With these files as its parameters and as its input. */
    private static TaskSpec reading(TaskSpec spec, Set<FarmPath> files) {
        TaskSpec.Builder with = spec.toBuilder().setNeedsMount(true);
        boolean hasParameters = spec.getArgvCount() > 3; // sh -c TEXT sh VALUE...
        if (!files.isEmpty() && !hasParameters) {
            with.addArgv(ByteString.copyFromUtf8("sh"));
        }
        if (with.getArgument().isEmpty() && with.getInputsCount() == 1) {
            with.setArgument(with.getInputs(0));
        }
        for (FarmPath file : files) {
            ByteString raw = ByteString.copyFrom(NameText.bytes(file.toString()));
            with.addArgv(raw).addInputs(raw);
        }
        return with.build();
    }

    private Step step(Rule rule, JobRun.Task task, TaskSpec spec) {
        FarmPath output = FarmPath.of(spec.getOutputs(0).toByteArray());
        Set<FarmPath> inputs = new LinkedHashSet<>();
        spec.getInputsList().forEach(input -> inputs.add(FarmPath.of(input.toByteArray())));
        if (inputs.contains(output)) {
            throw refused(rule, "it reads what it makes: " + output);
        }
        return new Step(rule, task, spec, output, inputs);
    }

    /** In the farm now, or to be made. */
    private Set<FarmPath> files(String pattern) {
        Set<FarmPath> files = new TreeSet<>(Comparator.comparing(FarmPath::toString));
        files.addAll(found.computeIfAbsent(pattern, matching));
        byOutput.keySet().stream()
                .filter(output ->
                        isPattern(pattern)
                                ? matches(pattern, output)
                                : output.equals(path(pattern)))
                .forEach(files::add);
        return files;
    }

    static boolean matches(String pattern, FarmPath path) {
        return GlobPattern.glob(pattern).matcher(path.toString()).matches();
    }

    static boolean isPattern(String text) {
        return text.matches("(?s).*[*?\\[{].*");
    }

    private static FarmPath path(String text) {
        return FarmPath.of(text);
    }

    /** Also where a rule would read, when it is run again, what it made before. */
    private void requireNoCircle() {
        Map<FarmPath, Integer> seen = new HashMap<>(); // 1: on the way, 2: done
        byOutput.values().forEach(step -> visit(step, seen));
    }

    private void visit(Step step, Map<FarmPath, Integer> seen) {
        // Chains are as long as there are rules: a rule does not read what it makes.
        Integer state = seen.put(step.output(), 1);
        if (state != null && state == 1) {
            throw refused(step.rule(), "what makes " + step.output() + " needs it: a circle");
        }
        if (state == null) {
            for (FarmPath input : step.inputs()) {
                Step maker = byOutput.get(input);
                if (maker != null) {
                    if (maker.rule().equals(step.rule())) {
                        throw refused(
                                step.rule(),
                                "it reads what it makes: %s, of which it makes %s"
                                        .formatted(input, step.output()));
                    }
                    visit(maker, seen);
                }
            }
        }
        seen.put(step.output(), 2);
    }

    private FarmException refused(Rule rule, String why) {
        return new FarmException(ErrorKind.USAGE, "make", name + ":" + rule.line(), why);
    }
}

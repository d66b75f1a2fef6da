package org.gridfarm.client.cli.make;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.client.core.GlobPattern;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/** Rules, steps and their order, without a farm. */
class MakeTest {
    private static final String PIPELINE =
            """
            # from scenes to one summary
            rule
              each /raw/*.txt
              in   /ref/words
              out  /work/{/.}.n
              run  grep -c -f "$@" {} > "$GF_OUT"

            rule
              in   /work/*.n
              out  /result
              run  cat "$@" |
                     sort -n > "$GF_OUT"
            """;

    private static Function<String, List<FarmPath>> farm(String... paths) {
        return pattern ->
                List.of(paths).stream()
                        .filter(path ->
                                path.equals(pattern)
                                        || Steps.isPattern(pattern)
                                                && GlobPattern.glob(pattern)
                                                        .matcher(path)
                                                        .matches())
                        .map(FarmPath::of)
                        .toList();
    }

    private static Map<FarmPath, Step> steps(String text, String... paths) {
        return Steps.of("f", MakeFile.parse("f", text), farm(paths));
    }

    private static void refused(String why, String text, String... paths) {
        assertThatThrownBy(() -> steps(text, paths))
                .isInstanceOf(FarmException.class)
                .hasMessageContaining(why);
    }

    private static Set<String> names(List<Step> steps) {
        Set<String> names = new TreeSet<>();
        steps.forEach(step -> names.add(step.output().toString()));
        return names;
    }

    @Test
    void aStepReadsWhatAnotherMakesThoughItIsNotThereYet() {
        Map<FarmPath, Step> steps = steps(PIPELINE, "/raw/a.txt", "/raw/b c.txt", "/ref/words");
        assertThat(steps.keySet().stream().map(FarmPath::toString))
                .containsExactly("/work/a.n", "/work/b c.n", "/result");
        Step first = Objects.requireNonNull(steps.get(FarmPath.of("/work/b c.n")));
        assertThat(first.inputs())
                .containsExactly(FarmPath.of("/raw/b c.txt"), FarmPath.of("/ref/words"));
        assertThat(first.task().command())
                .isEqualTo("grep -c -f \"$@\" '/raw/b c.txt' > \"$GF_OUT\"");
        assertThat(first.text()).contains("grep -c", "\n/work/b c.n\n");
        Step last = Objects.requireNonNull(steps.get(FarmPath.of("/result")));
        assertThat(last.inputs())
                .containsExactly(FarmPath.of("/work/a.n"), FarmPath.of("/work/b c.n"));
        assertThat(last.spec().getArgv(2).toStringUtf8())
                .endsWith("cat \"$@\" |\nsort -n > \"$GF_OUT\"");
        assertThat(last.spec().getArgvList().stream().skip(3).map(word -> word.toStringUtf8()))
                .containsExactly("sh", "/work/a.n", "/work/b c.n");
    }

    @Test
    void whatIsWrongIsNamedWithItsLine() {
        refused("f:1", "out /x\nrule\n");
        refused("f:1", "rule\n out /x\n");
        refused("f:2", "rule\n output /x\n");
        refused("f:3", "rule\n out /x\n out /y\n run true\n");
        refused("f:2", "rule\n in x\n out /x\n run true\n");
        refused("no rule", "# nothing\n");
        refused(
                "also made by the rule of line 1",
                "rule\n out /x\n run a\nrule\n out /x\n run b\n");
        refused("/o", "rule\n each /r/*\n out /o\n run cat {}\n", "/r/a", "/r/b");
        refused("it reads what it makes", "rule\n each /r/*\n out /r/{/}.n\n run a {}\n", "/r/a");
        refused("a circle", "rule\n in /a\n out /b\n run t\nrule\n in /b\n out /a\n run t\n");
    }

    @Test
    void stepsBecomeReadyWhenAllThatTheyReadIsThere() {
        Map<FarmPath, Step> steps = steps(PIPELINE, "/raw/a.txt", "/raw/b.txt", "/ref/words");
        Progress progress = new Progress(steps, List.of());
        List<Step> first = progress.takeReady(10);
        assertThat(names(first)).containsExactly("/work/a.n", "/work/b.n");
        progress.fresh(first.get(0));
        assertThat(progress.hasReady()).isFalse();
        progress.made(first.get(1));
        assertThat(names(progress.takeReady(10))).containsExactly("/result");
        assertThat(progress.isDone()).isFalse();
    }

    @Test
    void whatNeedsAFailedStepIsNotBegun() {
        Map<FarmPath, Step> steps = steps(PIPELINE, "/raw/a.txt", "/raw/b.txt", "/ref/words");
        Progress progress = new Progress(steps, List.of());
        List<Step> first = progress.takeReady(10);
        progress.failed(first.get(0));
        progress.made(first.get(1));
        assertThat(progress.hasReady()).isFalse();
        assertThat(progress.isDone()).isTrue();
        assertThat(progress.summary())
                .isEqualTo("1 steps made, 0 up to date, 1 failed, 1 not begun");
    }

    @Test
    void anOutputThatIsAskedForNeedsWhatItIsMadeOfAlone() {
        Map<FarmPath, Step> steps = steps(PIPELINE, "/raw/a.txt", "/raw/b.txt", "/ref/words");
        Progress progress = new Progress(steps, List.of(FarmPath.of("/work/b.n")));
        assertThat(names(progress.takeReady(10))).containsExactly("/work/b.n");
    }

    @Test
    void theLedgerIsReadAgainThoughItsLastLineWasCutOff(@TempDir Path directory)
            throws IOException {
        Path file = directory.resolve("m.made");
        Ledger.Made how = new Ledger.Made("c", "-");
        try (Ledger ledger = Ledger.open(file)) {
            ledger.add("/a\tb\n", how);
        }
        Files.writeString(file, "c\t-", StandardOpenOption.APPEND);
        try (Ledger ledger = Ledger.open(file)) {
            assertThat(ledger.of("/a\tb\n")).contains(how);
            ledger.add("/c", how);
        }
        try (Ledger ledger = Ledger.open(file)) {
            assertThat(ledger.of("/c")).contains(how);
        }
    }
}

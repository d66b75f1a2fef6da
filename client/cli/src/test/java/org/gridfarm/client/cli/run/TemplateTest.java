package org.gridfarm.client.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.wire.TaskSpec;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.List;

class TemplateTest {
    private static List<Argument> arguments(String... texts) {
        return java.util.Arrays.stream(texts).map(Argument::of).toList();
    }

    /** What the shell makes of it: each word on a line. */
    private static String ran(String command, String... texts) throws Exception {
        TaskSpec task = Template.of(List.of(command)).task(7, arguments(texts));
        Process process =
                new ProcessBuilder(task.getArgvList().stream().map(b -> b.toStringUtf8()).toList())
                        .redirectErrorStream(true)
                        .start();
        process.getOutputStream().close();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    private static String words(String words, String... texts) throws Exception {
        return ran("GF_MOUNT=/mnt; printf '%s|' " + words, texts);
    }

    @Test
    void replacementStringsAreThoseOfGnuParallel() throws Exception {
        assertThat(words("{} {.}.count", "/in/a.b.txt"))
                .isEqualTo("/mnt/in/a.b.txt|/mnt/in/a.b.count|");
        assertThat(words("{/} {//} {/.} {#}", "/in/a.txt")).isEqualTo("a.txt|/mnt/in|a|7|");
        assertThat(words("{}", "gf:/x")).isEqualTo("/mnt/x|");
        assertThat(words("{1} {2.} {3} {1}", "a", "b.c")).isEqualTo("a|b|{3}|a|");
        assertThat(words("x{}y '{}' \"{}\"", "a", "b c")).isEqualTo("xa|b cy|a b c|a b c|");
    }

    @Test
    void localIsWhereTheNodeSaysThatThePlainFileLies() throws Exception {
        assertThat(
                        ran(
                                "GF_MOUNT=/m; GF_LOCAL_1='/l/a b'; GF_LOCAL_2=/l/c; printf '%s|' {local} {1local} '{2local}' {}",
                                "/in/a b", "/in/c"))
                .isEqualTo("/l/a b|/l/c|/l/a b|/l/c|/m/in/a b|/m/in/c|");
        assertThat(words("{local}", "no path")).isEqualTo("no path|");
        TaskSpec task = Template.of(List.of("wc {local} {local}")).task(1, arguments("/in/a"));
        assertThat(task.getLocalsList())
                .extracting(path -> path.toStringUtf8())
                .containsExactly("/in/a");
        assertThat(task.getInputsList()).isEqualTo(task.getLocalsList());
        assertThat(task.getNeedsMount()).isTrue(); // it may be read there after all
        assertThat(Template.of(List.of("wc {local}")).text(1, arguments("/in/a")))
                .isEqualTo("wc /in/a");
        assertThatThrownBy(() ->
                        Template.of(List.of("sh -c 'wc {local}'")).task(1, arguments("/in/a")))
                .isInstanceOf(FarmException.class);
    }

    @Test
    void aDotFileHasNoExtension() throws Exception {
        assertThat(words("{.} {/.}", "/in/.profile")).isEqualTo("/mnt/in/.profile|.profile|");
    }

    /** Each form of quotes of the shell, around names that would do something in one of them. */
    @Test
    void anArgumentIsOneWordAndNeverCodeInAnyQuotes() throws Exception {
        for (String name :
                List.of(
                        "it's here",
                        "$(echo CODE)",
                        "`echo CODE`",
                        "\";echo CODE;\"",
                        "';echo CODE;'",
                        "a'\"b\\",
                        "*",
                        "-n",
                        "${HOME}",
                        "{mount}",
                        "{}",
                        "a\nb",
                        "")) {
            assertThat(words("{}", name)).isEqualTo(name + "|");
            assertThat(words("\"{}\"", name)).isEqualTo(name + "|");
            assertThat(words("'{}'", name)).isEqualTo(name + "|");
            assertThat(words("\"x'{}'\" 'x\"{}\"'", name))
                    .isEqualTo("x'" + name + "'|x\"" + name + "\"|");
            assertThat(
                            words(
                                    "`printf %s {}`x \"`printf %s {}`\" \"`printf %s \"{}\"`\"",
                                    "a" + name))
                    .endsWith("|a" + name + "|a" + name + "|")
                    .doesNotContain("CODE\n");
            assertThat(words("\"$(printf %s {} \"{}\" '{}')\"", "-" + name + "-"))
                    .isEqualTo(("-" + name + "-").repeat(3) + "|");
            assertThat(words("${none:-{}} \"${none:-{}}\"", name + "."))
                    .isEqualTo((name + ".|").repeat(2));
            assertThat(ran("cat <<E\n{} it's\nE\necho '{}' # don't {}\necho \"{}\"", "." + name))
                    .isEqualTo(".N it's\n.N\n.N\n".replace("N", name));
            assertThat(words("{} {/}", "/in/" + name + "."))
                    .isEqualTo("/mnt/in/" + name + ".|" + name + ".|");
        }
    }

    @Test
    void aCommandWithoutReplacementStringGetsTheArgumentLast() throws Exception {
        assertThat(words("x", "/in/a")).isEqualTo("x|/mnt/in/a|");
    }

    @Test
    void aCommandKeepsParametersOfItsOwn() throws Exception {
        assertThat(ran("f() { echo \"$# $1 {}\"; }; set -- p; f q; echo $1 {}", "a"))
                .isEqualTo("1 q a\np a\n");
        assertThat(ran("echo $# ${1} {}", "a")).isEqualTo("0 a\n");
    }

    @Test
    void farmPathsInTheCommandAreBelowTheMount() throws Exception {
        assertThat(words("{} gf:/out/{/} \"gf:/o\" 'gf:/o' {mount}/x agf:/b", "/in/a"))
                .isEqualTo("/mnt/in/a|/mnt/out/a|/mnt/o|/mnt/o|/mnt/x|agf:/b|");
        assertThat(ran("echo x y | awk '{print $1}'; echo {}", "a")).isEqualTo("x\na\n");
        assertThat(Template.of(List.of("echo {}")).task(1, arguments("a")).getNeedsMount())
                .isFalse();
        assertThat(Template.of(List.of("echo {}")).task(1, arguments("/a")).getNeedsMount())
                .isTrue();
        assertThat(Template.plain("ls gf:/").task(1, List.of()).getNeedsMount()).isTrue();
    }

    @Test
    void anArgumentInArithmeticIsANumber() throws Exception {
        assertThat(words("$(( ({} + {#}) * 2 ))", "5")).isEqualTo("24|");
        assertThatThrownBy(() -> words("$(({} * 2))", "x[$(id)]"))
                .hasMessageContaining("only a number");
    }

    /** There it would be code. */
    @Test
    void anArgumentInTheTextOfAnotherShellIsRefused() throws Exception {
        for (String command :
                List.of(
                        "sh -c 'wc {}'",
                        "bash -e -c \"wc '{}'\"",
                        "/bin/sh -ec \"wc \\\"{}\\\"\"",
                        "sh -c {}",
                        "eval echo {}",
                        "eval \"echo {}\"")) {
            assertThatThrownBy(() -> ran(command, "/in/a"))
                    .as(command)
                    .hasMessageContaining("text of another shell");
        }
        assertThat(ran("sh -c 'printf %s \"$1\"' sh {}", "$(id)")).isEqualTo("$(id)");
        assertThatThrownBy(() -> ran("cat <<'E'\n{}\nE", "a"))
                .hasMessageContaining("here-document");
    }

    @Test
    void aCommandIsLoggedAsAPersonWouldHaveWrittenIt() {
        assertThat(Template.of(List.of("wc -l {} > {.}.{#}.n {x}")).text(3, arguments("/in/a b.c")))
                .isEqualTo("wc -l '/in/a b.c' > '/in/a b'.3.n {x}");
    }

    @Test
    void allTasksOfAJobHaveTheSameScript() {
        Template template = Template.of(List.of("echo {} {/} {#} {%}"));
        TaskSpec first = template.task(1, arguments("/in/a"));
        TaskSpec second = template.task(2, arguments("b"));
        assertThat(template.task(2, arguments("/b")).getArgv(2)).isEqualTo(first.getArgv(2));
        assertThat(second.getArgv(2)).isNotEqualTo(first.getArgv(2)); // no path in the farm
    }

    @Test
    void farmPathsAreInputs() {
        assertThat(
                        Template.of(List.of("true"))
                                .task(1, List.of(Argument.of("/in/a"), Argument.of("x")))
                                .getInputsList())
                .extracting(b -> b.toStringUtf8())
                .containsExactly("/in/a");
    }

    @Test
    void aTaskAndItsInputsAreTheBytesThatWereGiven() {
        TaskSpec task =
                Template.of(List.of("cat {} gf:/\udce8"))
                        .task(1, List.of(Argument.of("/in/a\udce9")));
        assertThat(task.getArgv(2).toByteArray())
                .endsWith(NameText.bytes("cat \"${GF_MOUNT}${gf_1}\" \"${GF_MOUNT}\"/\udce8"));
        assertThat(task.getArgv(4).toByteArray()).isEqualTo(NameText.bytes("/in/a\udce9"));
        assertThat(task.getInputs(0).toByteArray()).isEqualTo(NameText.bytes("/in/a\udce9"));
        assertThat(task.getArgument()).isEmpty(); // it is the input
    }

    @Test
    void onlyANewlineEndsANameInAList() {
        assertThat(Sources.lines("/a\r\n/b\u2028c\n\n/d"))
                .containsExactly("/a\r", "/b\u2028c", "", "/d");
        assertThat(Sources.lines("/a\n")).containsExactly("/a");
        assertThat(Sources.lines("")).isEmpty();
    }

    @Test
    void sourcesAreCombinedEachWithEachUnlessLinked() {
        Sources each = parse("c", ":::", "1", "2", ":::", "a", "b");
        assertThat(each.combinations()).hasSize(4);
        assertThat(each.combinations().get(1)).extracting(Argument::text).containsExactly("1", "b");
        Sources linked = parse("c", ":::", "1", "2", ":::+", "a", "b");
        assertThat(linked.combinations()).hasSize(2);
        assertThat(linked.combinations().get(1))
                .extracting(Argument::text)
                .containsExactly("2", "b");
    }

    @Test
    void farmGlobsAreExpandedAndMustMatch() {
        assertThat(parse("c", ":::", "/in/*").combinations()).hasSize(2);
        assertThatThrownBy(() -> parse("c", ":::", "/none/*"))
                .isInstanceOf(FarmException.class)
                .hasMessageContaining("/none/*");
        assertThatThrownBy(() -> parse(":::", "x"))
                .isInstanceOf(FarmException.class)
                .hasMessageContaining("no command");
    }

    private static Sources parse(String... words) {
        return Sources.parse(
                List.of(words),
                pattern -> pattern.startsWith("/in") ? List.of("/in/a", "/in/b") : List.of(),
                _ -> List.of());
    }
}

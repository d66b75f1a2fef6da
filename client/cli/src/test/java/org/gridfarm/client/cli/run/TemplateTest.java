package org.gridfarm.client.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.wire.TaskSpec;
import org.junit.jupiter.api.Test;

import java.util.List;

class TemplateTest {
    private static String expand(String command, String... arguments) {
        return Template.of(List.of(command))
                .expand(7, java.util.Arrays.stream(arguments).map(Argument::of).toList());
    }

    @Test
    void replacementStringsAreThoseOfGnuParallel() {
        assertThat(expand("wc -l {} > {.}.count", "/in/a.b.txt"))
                .isEqualTo("wc -l {mount}/in/a.b.txt > {mount}/in/a.b.count");
        assertThat(expand("{/} {//} {/.} {#}", "/in/a.txt")).isEqualTo("a.txt {mount}/in a 7");
        assertThat(expand("echo {}", "gf:/x")).isEqualTo("echo {mount}/x");
        assertThat(expand("echo {1} {2.}", "a", "b.c")).isEqualTo("echo a b");
    }

    @Test
    void aDotFileHasNoExtension() {
        assertThat(expand("{.} {/.}", "/in/.profile")).isEqualTo("{mount}/in/.profile .profile");
    }

    @Test
    void argumentsAreOneWordWhateverTheyHold() {
        assertThat(expand("ls {}", "/in/it's here")).isEqualTo("ls '{mount}/in/it'\\''s here'");
        assertThat(expand("echo {}", "$(reboot)")).isEqualTo("echo '$(reboot)'");
        assertThat(expand("echo {}", "")).isEqualTo("echo ''");
    }

    @Test
    void aCommandWithoutReplacementStringGetsTheArgumentLast() {
        assertThat(expand("wc -l", "/in/a")).isEqualTo("wc -l {mount}/in/a");
    }

    @Test
    void farmPathsInTheCommandAreMarked() {
        assertThat(expand("cp {} gf:/out/{/}", "/in/a")).isEqualTo("cp {mount}/in/a {mount}/out/a");
        assertThat(expand("awk '{print $1}' {}", "/in/a"))
                .isEqualTo("awk '{print $1}' {mount}/in/a");
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
                .isEqualTo(NameText.bytes("cat '{mount}/in/a\udce9' {mount}/\udce8"));
        assertThat(task.getInputs(0).toByteArray()).isEqualTo(NameText.bytes("/in/a\udce9"));
        assertThat(task.getArgument().toByteArray()).isEqualTo(NameText.bytes("/in/a\udce9"));
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

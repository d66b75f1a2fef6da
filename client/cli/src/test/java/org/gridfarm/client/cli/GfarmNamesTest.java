package org.gridfarm.client.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.client.cli.command.Subcommand;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What Gfarm's users type, in the words of gf. */
class GfarmNamesTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    gfls -l /a                | ls -l /a
                    gfncopy -s 3 /a           | setrep 3 /a
                    gfncopy -s 3 -r /a        | setrep -R 3 /a
                    gfncopy -S g1:2,g2:1 /a   | setrep --groups g1:2,g2:1 /a
                    gfncopy /a                | stat -c %r /a
                    gfncopy 2 /a              | setrep 2 /a
                    gfrep -N 2 /a             | setrep -R -w 2 /a
                    gfrep -D n1 /a            | rep -D n1 /a
                    gfrm -h n1 /a             | rep --drop n1 /a
                    gfrm -rf /a               | rm -rf /a
                    gfcksum -c /a             | sum --verify /a
                    gfpcopy a gfarm:///b      | cp -r a gfarm:///b
                    gfxattr -s /a user.x      | setfattr -n user.x -v - /a
                    gfxattr -g /a user.x      | getfattr -n user.x --only-values /a
                    gfxattr -r /a user.x      | setfattr -x user.x /a
                    gfxattr -l /a             | getfattr /a
                    gfquota --user ann        | quota show --user ann
                    gfusage -u ann            | usage --user ann
                    gfusage -g                | usage --by group
                    gf ls /a                  | ls /a
                    """)
    void optionsAreSaidAsTheCommandSaysThem(String typed, String meant) {
        String[] words = typed.split(" ");
        String[] arguments = java.util.Arrays.copyOfRange(words, 1, words.length);
        assertThat(GfarmNames.translated(words[0], arguments)).containsExactly(meant.split(" "));
    }

    @Test
    void everyNameIsACommandOrSaysWhatToUse() {
        for (String name : GfarmNames.all()) {
            assertThat(
                            GfarmNames.instead(name).isPresent()
                                    || Subcommand.named(
                                                    GfarmNames.translated(name, new String[0])[0])
                                            != null)
                    .as(name)
                    .isTrue();
        }
        assertThat(Gf.run("gfptar", new String[] {"-c", "x"})).isEqualTo(69);
    }

    @Test
    void everyNameHasItsLink() throws IOException {
        Path checkout = Path.of("").toAbsolutePath();
        while (!Files.exists(checkout.resolve("deploy/assemble"))) {
            checkout = checkout.resolveSibling("..").normalize();
        }
        String links = Files.readString(checkout.resolve("deploy/assemble"));
        String list =
                links.substring(
                        links.indexOf("for name in"),
                        links.indexOf("; do", links.indexOf("for name in")));
        assertThat(list.replace("\\", " ").trim().split("\\s+"))
                .filteredOn(word -> word.startsWith("gf"))
                .containsExactlyInAnyOrderElementsOf(GfarmNames.all());
    }
}

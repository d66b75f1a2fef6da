package org.gridfarm.client.cli.find;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.client.cli.operand.Operands;
import org.gridfarm.client.cli.run.Mounted;
import org.gridfarm.client.core.FileInfo;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.FileType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

class FindParserTest {
    private static final Instant NOW = Instant.parse("2026-06-01T00:00:00Z");

    private final List<String> done = new ArrayList<>();

    private final Actions noting =
            new Actions() {
                @Override
                public void print(FileInfo file, String end) {
                    done.add("print " + file.path());
                }

                @Override
                public void list(FileInfo file) {
                    done.add("list " + file.path());
                }

                @Override
                public void delete(FileInfo file) {
                    done.add("delete " + file.path());
                }

                @Override
                public boolean execute(List<String> command) {
                    done.add(String.join(" ", command));
                    return !command.contains("false");
                }

                @Override
                public Instant modified(FarmPath path) {
                    return NOW.minus(Duration.ofDays(5));
                }
            };

    private FindParser parser(String words) {
        return new FindParser(
                words.isEmpty() ? List.of() : List.of(words.split(" ")),
                noting,
                NOW,
                new Operands(new Mounted(List.of(), Path.of("/"))));
    }

    /** A file of 3,000 bytes, ten days and a half old, of user 7, mode 640, level 2. */
    private static Visit visit(String path) {
        Instant modified = NOW.minus(Duration.ofHours(252));
        return new Visit(
                new FileInfo(
                        FarmPath.of(path),
                        Attributes.newBuilder()
                                .setInode(0x1f)
                                .setType(FileType.REGULAR)
                                .setMode(0640)
                                .setNlink(1)
                                .setUid(7)
                                .setSize(3_000)
                                .setMtime(modified.getEpochSecond() * 1_000_000_000L)
                                .setReplicasWanted(2)
                                .build()),
                1,
                () -> false);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    -name *.dat                     | true
                    -name *.DAT                     | false
                    -iname *.DAT                    | true
                    -name ?.dat                     | false
                    -path /in/*                     | true
                    -path *b/x1*                    | true
                    -type f                         | true
                    -type d,l                       | false
                    -size 6                         | true
                    -size +5                        | true
                    -size -3000c                    | false
                    -size 3000c                     | true
                    -size 3k                        | true
                    -size 1M                        | true
                    -mtime 10                       | true
                    -mtime +9                       | true
                    -mtime +10                      | false
                    -mmin -20000                    | true
                    -newer /x                       | false
                    -uid 7                          | true
                    -user 8                         | false
                    -inum 1f                        | true
                    -perm 640                       | true
                    -perm -600                      | true
                    -perm /022                      | false
                    -perm -u+w                      | true
                    -replicas -2                    | false
                    -replicas 2                     | true
                    -empty                          | false
                    ! -name *.dat                   | false
                    -name x* -size +5               | true
                    -name y* -o -name x*            | true
                    -name y* -a -name x* -o -type f | true
                    ( -name y* -o -name x* ) -type d | false
                    """)
    void testsAreThoseOfFind(String words, boolean holds) throws IOException {
        assertThat(parser(words).parse().test(visit("/in/b/x1.dat"))).isEqualTo(holds);
        assertThat(done).hasSize(holds ? 1 : 0);
    }

    @Test
    void actionsAreDoneInOrderAndOnlyWhereWhatIsBeforeThemHolds() throws IOException {
        assertThat(parser("").parse().test(visit("/a"))).isTrue();
        FindParser collects = parser("-exec run -x {} +");
        Expression collecting = collects.parse();
        collecting.test(visit("/b"));
        collecting.test(visit("/c"));
        assertThat(done).containsExactly("print /a");
        assertThat(collects.end()).isTrue();
        parser("-exec false {} ; -print").parse().test(visit("/d"));
        FindParser deletes = parser("-delete -print0");
        deletes.parse().test(visit("/e"));
        assertThat(deletes.isDeepFirst()).isTrue();
        assertThat(done)
                .containsExactly("print /a", "run -x /b /c", "false /d", "delete /e", "print /e");
    }

    @Test
    void depthsArePassedOn() {
        FindParser parser = parser("-maxdepth 2 -mindepth 1");
        parser.parse();
        assertThat(parser.deepest()).isEqualTo(2);
        assertThat(parser.shallowest()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-nam x",
                "-name",
                "-size x",
                "-size +",
                "-type q",
                "( -name x",
                "-name x )",
                "!",
                "-name x -o",
                "-exec ls {}",
                "-perm 9",
                "-maxdepth -1",
                "-inum xyz"
            })
    void whatIsNoExpressionIsRefused(String words) {
        assertThatThrownBy(() -> parser(words).parse()).isInstanceOf(FarmException.class);
    }
}

package org.gridfarm.client.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NameText;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import picocli.CommandLine;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

class BatchTest {
    private final List<List<String>> asked = new ArrayList<>();
    @TempDir private Path scratch;

    @Test
    void eachLineIsACommandInItsOrder() throws IOException {
        assertThat(run("# first\n\nmkdir -p '/a b'\n  gf ls /\n")).isZero();
        assertThat(asked).containsExactly(List.of("mkdir", "-p", "/a b"), List.of("ls", "/"));
    }

    @Test
    void theFirstThatFailsIsTheLastOrNot() throws IOException {
        String lines = "ls /\nfail 66\nls /x\nfail 77\n";
        assertThat(run(lines)).isEqualTo(66);
        assertThat(asked).hasSize(2);
        asked.clear();
        assertThat(run(lines, "-k")).isEqualTo(66);
        assertThat(asked).hasSize(4);
    }

    @Test
    void aProgramThatReadsHearsWhereEachEnds() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        PrintStream formerOut = System.out;
        PrintStream formerErrors = System.err;
        System.setOut(new PrintStream(out));
        System.setErr(new PrintStream(errors));
        try {
            assertThat(run("ls /\n\nfail 66\nls /x\n", "-k", "--ended", "=end=")).isEqualTo(66);
        } finally {
            System.setOut(formerOut);
            System.setErr(formerErrors);
        }
        assertThat(out).hasToString("=end= 0\n=end= 66\n=end= 0\n");
        assertThat(errors).hasToString("=end= 0\n=end= 66\n=end= 0\n");
    }

    @Test
    void theConfigurationIsThatOfAll() throws IOException {
        assertThat(run("ls /\n", "--config", "/etc/other.toml")).isZero();
        assertThat(asked).containsExactly(List.of("--config", "/etc/other.toml", "ls", "/"));
    }

    @Test
    void namesAreBytesAndTheLastLineNeedNotEnd() throws IOException {
        byte[] name = {'r', 'm', ' ', '/', (byte) 0xff, (byte) 0xfe};
        assertThat(run(name)).isZero();
        byte[] taken = NameText.bytes(asked.getFirst().get(1));
        assertThat(taken).containsExactly('/', (byte) 0xff, (byte) 0xfe);
    }

    @Test
    void aLineThatIsNoneIsNamed() {
        assertThatThrownBy(() -> run("ls /\nls 'x\n"))
                .isInstanceOf(FarmException.class)
                .hasMessageContaining("line 2")
                .hasMessageContaining("does not end");
        assertThat(asked).hasSize(1);
        assertThatThrownBy(() -> run("batch x\n")).hasMessageContaining("no other batch");
    }

    private int run(String lines, String... options) throws IOException {
        return run(lines.getBytes(StandardCharsets.UTF_8), options);
    }

    private int run(byte[] lines, String... options) throws IOException {
        Batch batch = new Batch();
        batch.runsBy(words -> {
            asked.add(List.of(words));
            return words[0].equals("fail") ? Integer.parseInt(words[1]) : 0;
        });
        List<String> words = new ArrayList<>(List.of(options));
        words.add(Files.write(scratch.resolve("lines"), lines).toString());
        new CommandLine(batch).parseArgs(words.toArray(String[]::new));
        return batch.call();
    }
}

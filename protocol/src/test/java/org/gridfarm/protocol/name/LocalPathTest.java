package org.gridfarm.protocol.name;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Runs in whatever locale the tests run in, C included. */
class LocalPathTest {
    @TempDir Path directory;

    @Test
    void filesOfAnyNameAreMadeFoundAndToldApart() throws IOException {
        List<String> names = List.of("a\udce8", "a\udce9", "b%41 #?", "\u00fc", "\ud83d\ude00");
        for (String name : names) {
            Files.write(LocalPath.child(directory, Name.of(name)), NameText.bytes(name));
        }
        try (Stream<Path> found = Files.list(directory)) {
            assertThat(found.map(LocalPath::name).map(Name::toString))
                    .containsExactlyInAnyOrderElementsOf(names);
        }
        Path one = LocalPath.of(directory + "//a\udce9/");
        assertThat(NameText.of(Files.readAllBytes(one))).isEqualTo("a\udce9");
        assertThat(LocalPath.text(one)).isEqualTo(directory + "/a\udce9");
    }

    @Test
    void whetherItIsADirectoryChangesNoName() throws IOException {
        Path made = Files.createDirectory(LocalPath.of(directory + "/d\udcff"));
        assertThat(LocalPath.name(made)).isEqualTo(Name.of("d\udcff"));
        assertThat(LocalPath.text(made)).isEqualTo(directory + "/d\udcff");
    }

    @Test
    void aRelativePathStaysOne() {
        for (String text : List.of("", "x", "\u00fc", "../a\udce9/./b", "./\udce9")) {
            assertThat(LocalPath.of(text)).isRelative();
            assertThat(LocalPath.text(LocalPath.of(text))).isEqualTo(text);
        }
        assertThat(LocalPath.of("/")).isEqualTo(Path.of("/"));
        assertThat(LocalPath.of("/\u00fc/..").normalize()).isEqualTo(Path.of("/"));
    }

    @Test
    void argumentsThatAreNotOfThisCommandLineStayAsTheyAre() {
        String[] plain = {"ls", "/x"};
        assertThat(LocalPath.arguments(plain)).isSameAs(plain);
        String[] others = {"ls", "no word of ours", "/\ufffd"};
        assertThat(LocalPath.arguments(others)).containsExactly(others);
    }
}

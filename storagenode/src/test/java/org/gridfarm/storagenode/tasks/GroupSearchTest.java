package org.gridfarm.storagenode.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

class GroupSearchTest {
    @ParameterizedTest
    @CsvSource(
            textBlock =
                    """
                    4 24 1879048193 , 1879048193, true
                    1879048193      , 1879048193, true
                    4 24            , 2,          false
                    24              , 4,          false
                    240             , 24,         false
                    ''              , 0,          false
                    0 5             , 0,          true
                    """)
    void aGroupIsAWholeNumberOfTheLine(String groups, long group, boolean expected) {
        byte[] status =
                ("Name:\tGroups:\t77\nState:\tS (sleeping)\nGid:\t99\t99\nGroups:\t"
                                + groups
                                + " \nNStgid:\t99\n")
                        .getBytes(StandardCharsets.ISO_8859_1);
        assertThat(GroupSearch.hasGroup(status, status.length, group)).isEqualTo(expected);
        assertThat(GroupSearch.hasGroup(status, status.length, 77)).isFalse();
        assertThat(GroupSearch.hasGroup(status, status.length, 99)).isFalse();
        assertThat(GroupSearch.hasGroup(status, 20, group)).isFalse();
    }

    /** What the kernel says of this very process. */
    @Test
    void aProcessHasItsGroupsAndNoOther() throws IOException {
        long self = ProcessHandle.current().pid();
        List<String> own =
                Files.readAllLines(Path.of("/proc/self/status")).stream()
                        .filter(line -> line.startsWith("Groups:"))
                        .map(line -> line.substring("Groups:".length()).strip())
                        .toList();
        GroupSearch search = new GroupSearch();
        for (String number : own.getFirst().split("\\s+")) {
            assertThat(number.isEmpty() || search.isMember(self, Long.parseLong(number))).isTrue();
        }
        assertThat(search.isMember(self, 1_879_048_193)).isFalse();
        assertThat(search.isMember(Long.MAX_VALUE, 0)).isFalse();
        assertThat(ProcFiles.all()).contains(self, 1);
    }
}

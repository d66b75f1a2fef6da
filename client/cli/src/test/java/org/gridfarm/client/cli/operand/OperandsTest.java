package org.gridfarm.client.cli.operand;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.client.cli.run.Mounted;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

class OperandsTest {
    private static final Operands IN_MOUNT =
            new Operands(new Mounted(List.of(Path.of("/mnt/farm")), Path.of("/mnt/farm/in")));
    private static final Operands OUTSIDE = new Operands(new Mounted(List.of(), Path.of("/home")));

    @ParameterizedTest
    @CsvSource({
        "/a/b, /a/b",
        "gf:/a, /a",
        "gf:///a/b, /a/b",
        "gfarm:///a, /a",
        "gfarm:/a, /a",
        "gf://, /",
        "/mnt/farm, /",
        "/mnt/farm/x/y, /x/y",
        "/mnt/farmer, /mnt/farmer",
        "x, /in/x",
        "., /in",
        "../out/*.dat, /out/*.dat",
    })
    void manySpellingsMeanAPathInTheFarm(String word, String path) {
        assertThat(IN_MOUNT.path(word)).hasToString(path);
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "./x", "", "gf:x", "gf://host/x", "gfarm:x"})
    void othersAreRefused(String word) {
        assertThatThrownBy(() -> OUTSIDE.path(word))
                .isInstanceOfSatisfying(
                        FarmException.class,
                        e -> assertThat(e.kind()).isEqualTo(ErrorKind.INVALID));
    }

    @ParameterizedTest
    @CsvSource({
        "750, 644, 750",
        "u+x, 644, 744",
        "+x, 644, 755",
        "go-w, 666, 644",
        "'g=rx,o=', 644, 650",
        "a=r, 777, 444",
        "u=rwX, 600, 600",
        "u+X, 611, 711",
        "g=u, 700, 770",
        "o=g, 750, 755",
        "u+s, 755, 4755",
        "g-s, 2755, 755",
        "+t, 777, 1777",
        "u-x+w, 500, 600",
        "=, 777, 0",
    })
    void modesAreChangedAsChmodDoes(String change, String before, String after) {
        int mode = ModeChange.of(change).applyTo(Integer.parseInt(before, 8), false);
        assertThat(Integer.toOctalString(mode)).isEqualTo(after);
    }

    @Test
    void largeXIsForDirectoriesAndPrograms() {
        assertThat(ModeChange.of("a+X").applyTo(0640, true)).isEqualTo(0751);
        assertThat(ModeChange.of("a+X").applyTo(0640, false)).isEqualTo(0640);
    }

    @Test
    void aListOfAccessSurvivesTheKernelsFormAndHasTheMaskThatItNeeds() {
        AclText acl =
                AclText.ofMode(0640)
                        .with(AclText.entry("u:12:rw", false))
                        .with(AclText.entry("group:7:5", false))
                        .withMask();
        assertThat(AclText.ofValue(acl.value())).isEqualTo(acl);
        assertThat(acl.entries())
                .extracting(e -> e.tag().word() + ":" + e.id() + ":" + e.bits())
                .containsExactly(
                        "user:-1:6",
                        "user:12:6",
                        "group:-1:4",
                        "group:7:5",
                        "mask:-1:7",
                        "other:-1:0");
        assertThat(acl.without(AclText.entry("u:12", true)).entries()).hasSize(5);
        assertThat(acl.base().withMask()).isEqualTo(AclText.ofMode(0640));
    }

    @Test
    void momentsHaveSeveralForms() {
        Instant noon = Instant.parse("2026-01-31T12:00:00Z");
        assertThat(Moment.of("2026-01-31T12:00:00Z")).isEqualTo(noon);
        assertThat(Moment.of("2026-01-31 13:00:00+01:00")).isEqualTo(noon);
        assertThat(Moment.of("@" + noon.getEpochSecond())).isEqualTo(noon);
    }
}

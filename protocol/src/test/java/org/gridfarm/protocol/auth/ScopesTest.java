package org.gridfarm.protocol.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

class ScopesTest {
    @Test
    void wordsAboutOtherThingsAreForOthers() {
        Scopes scopes =
                Scopes.parse(
                        "openid storage.modify:/b/ storage.read:/a//c compute.create storage.stage:/a/c",
                        List.of());
        assertThat(scopes).hasToString("storage.modify:/b storage.read:/a/c");
    }

    @Test
    void pathsLieBelowWhatTheIssuerWasGiven() {
        assertThat(Scopes.parse("storage.read:/", List.of("vo", "x")))
                .hasToString("storage.read:/vo/x");
    }

    @Test
    void theOrderDoesNotCount() {
        assertThat(Scopes.parse("storage.read:/a storage.create:/b", List.of()))
                .isEqualTo(Scopes.parse("storage.create:/b storage.read:/a", List.of()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "openid",
                "storage.read",
                "storage.read:",
                "storage.read:a",
                "storage.read:/a/../b",
                "storage.read:/./a",
                "storage.read:/a%2fb",
                "storage.read:/a\u0000b",
                "storage.admin:/",
                "storage.:/",
                "STORAGE.READ:/",
                "storage.read:/ok storage.read:../etc"
            })
    void whatCouldBeMeantOtherwiseIsRefused(String claim) {
        assertThatExceptionOfType(FarmException.class)
                .isThrownBy(() -> Scopes.parse(claim, List.of()))
                .matches(e -> e.kind() == ErrorKind.NOT_AUTHENTICATED);
    }

    @Test
    void manyAreRefused() {
        assertThatExceptionOfType(FarmException.class)
                .isThrownBy(() -> Scopes.parse("storage.read:/a ".repeat(65), List.of()));
        assertThatExceptionOfType(FarmException.class)
                .isThrownBy(() -> Scopes.parse("storage.read:/" + "a/".repeat(2100), List.of()));
    }

    @Test
    void theMapNamesSubjectsOfTokensAndNoRolesForThem() {
        GridMap map =
                GridMap.parse(
                        """
                        "https://tokens.example 4f/Email=x" alice,astro
                        "/O=Grid/CN=Bob" bob
                        """,
                        "map");
        assertThat(map.ofToken("https://tokens.example", "4f/Email=x").orElseThrow().user())
                .isEqualTo("alice");
        assertThat(map.ofToken("https://tokens.example", "4f/emailAddress=x")).isEmpty();
        assertThat(map.ofToken("https://tokens.example 4f", "x")).isEmpty();
        assertThat(map.ofToken("/O=Grid/CN=Bob", "")).isEmpty();
        for (String line :
                List.of(
                        "\"https://tokens.example 4f\" @admin:alice",
                        "\"https://tokens.example 4f\" @mount",
                        "\"https://tokens.example\" alice",
                        "\"https://tokens.example a b\" alice")) {
            assertThatExceptionOfType(FarmException.class)
                    .as(line)
                    .isThrownBy(() -> GridMap.parse(line, "map"));
        }
    }
}

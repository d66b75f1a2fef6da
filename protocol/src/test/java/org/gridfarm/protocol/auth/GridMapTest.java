package org.gridfarm.protocol.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.gridfarm.protocol.env.SimClock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NodeName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

class GridMapTest {
    private static final String MAP =
            """
            # people
            "/O=Grid/OU=Users/CN=Alice Example" alice,astro
            "/O=Grid/OU=Users/CN=Carol"\t@admin:carol

            "/O=Grid/OU=Hosts/CN=n1.example" @node:n1
            "/O=Grid/CN=host\\/m1.example" @metaserver
            "/O=Grid/CN=s1" @scheduler
            "/O=Grid/CN=w1" @mount
            "/O=Grid/CN=J\\xC3\\xBCrgen/Email=j@example.org" juergen
            """;
    private final GridMap map = GridMap.parse(MAP, "map");

    private Identity of(String dn) {
        return map.lookUp(dn).orElseThrow();
    }

    @Test
    void aGatewayIsInThePlaceOfWhoeverHasAnAccount() {
        GridMap map =
                GridMap.parse(
                        """
                        "/CN=gw" @gateway
                        "/CN=Ann" ann,astro
                        "/CN=Carol" @admin:carol
                        """,
                        "map");
        assertThat(map.hasAccount("astro")).isTrue();
        assertThat(map.hasAccount("carol")).isTrue();
        assertThat(map.hasAccount("root")).isFalse();
        Identity gateway = map.lookUp("/CN=gw").orElseThrow();
        Identity carol = gateway.inPlaceOf("carol");
        assertThat(carol.role()).isEqualTo(Role.USER);
        assertThat(carol.limited()).isTrue();
        assertThat(carol.user()).isEqualTo("carol");
        Identity ann = map.lookUp("/CN=Ann").orElseThrow();
        assertThatExceptionOfType(FarmException.class).isThrownBy(() -> ann.inPlaceOf("carol"));
    }

    @Test
    void namesBecomeUsersAndRoles() {
        Identity alice = of("/O=Grid/OU=Users/CN=Alice Example");
        assertThat(alice.role()).isEqualTo(Role.USER);
        assertThat(alice.user()).isEqualTo("alice");
        assertThat(alice.userAskedFor("astro")).isEqualTo("astro");
        assertThatExceptionOfType(FarmException.class).isThrownBy(() -> alice.userAskedFor("root"));
        assertThat(of("/O=Grid/OU=Users/CN=Carol").isAdmin()).isTrue();
        assertThat(of("/O=Grid/OU=Hosts/CN=n1.example").node()).contains(new NodeName("n1"));
        assertThat(of("/O=Grid/OU=Hosts/CN=n1.example").user()).isEqualTo("@node:n1");
        assertThat(of("/O=Grid/CN=s1").role()).isEqualTo(Role.SCHEDULER);
        assertThat(of("/O=Grid/CN=w1").role()).isEqualTo(Role.MOUNT);
        assertThat(map.lookUp("/O=Grid/OU=Users/CN=alice example")).isEmpty();
        assertThat(map.lookUp("/O=Grid/OU=Users/CN=Alice Example/CN=1")).isEmpty();
    }

    @Test
    void otherToolsSpellingsAreTaken() {
        assertThat(of("/O=Grid/CN=host/m1.example").role()).isEqualTo(Role.METASERVER);
        assertThat(of("/O=Grid/CN=Jürgen/emailAddress=j@example.org").user()).isEqualTo("juergen");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"/CN=a\" x%n\"/CN=a\" y | twice",
                "\"/CN=a/E=m\" x%n\"/CN=a/Email=m\" y | twice",
                "#%n/CN=a x | expected",
                "#%n\"/CN=a\" | expected",
                "#%n\"/CN=a\" x y | expected",
                "#%n\"/CN=a\" x,,y | not a user name",
                "#%n\"/CN=a\" @root | unknown role",
                "#%n\"/CN=a\" @admin | not a user name",
                "#%n\"/CN=a\" @node:-n | node name",
                "#%n\"/CN=a\" @mount:x | takes no argument but root",
                "#%n\"CN=a\" x | slash",
                "#%n\"/CN=a\\q\" x | unknown escape",
                "#%n\"/CN=a\\xFF\" x | UTF-8",
            })
    void aFaultyLineIsNamed(String text, String says) {
        assertThatExceptionOfType(FarmException.class)
                .isThrownBy(() -> GridMap.parse(text.replace("%n", "\n"), "map"))
                .withMessageContaining("map:2")
                .withMessageContaining(says)
                .matches(e -> e.kind() == ErrorKind.BAD_CONFIGURATION);
    }

    @Test
    void aChangedFileIsReadAgainAndAFaultyOneIsNot(@TempDir Path directory) throws IOException {
        SimClock clock = new SimClock();
        Path file = directory.resolve("grid-mapfile");
        Files.writeString(file, "\"/CN=a\" a\n");
        Reloaded<GridMap> reloaded =
                new Reloaded<>(file, GridMap::load, clock, Duration.ofSeconds(1));

        Files.writeString(file, "\"/CN=a\" a\n\"/CN=b\" b\n");
        assertThat(reloaded.get().size()).isEqualTo(1); // not looked at yet
        clock.advance(Duration.ofSeconds(1));
        assertThat(reloaded.get().size()).isEqualTo(2);

        Files.writeString(file, "rubbish");
        clock.advance(Duration.ofSeconds(1));
        assertThat(reloaded.get().size()).isEqualTo(2);
        Files.delete(file);
        clock.advance(Duration.ofSeconds(1));
        assertThat(reloaded.get().size()).isEqualTo(2);
        Files.writeString(file, "\"/CN=c\" c\n");
        clock.advance(Duration.ofSeconds(1));
        assertThat(reloaded.get().lookUp("/CN=c")).isPresent();
    }

    @Test
    void whatCouldNotBeReadIsTriedAgainThoughTheFileHasNotChanged(@TempDir Path directory)
            throws IOException {
        SimClock clock = new SimClock();
        Path file = Files.writeString(directory.resolve("grid-mapfile"), "\"/CN=a\" a\n");
        AtomicBoolean mayRead = new AtomicBoolean();
        AtomicInteger readings = new AtomicInteger();
        Current<GridMap> map =
                Reloaded.orUntilReadable(
                        file,
                        path -> {
                            readings.incrementAndGet();
                            if (mayRead.get()) return GridMap.load(path);
                            throw new FarmException(ErrorKind.ACCESS_DENIED, "read", "f", "");
                        },
                        GridMap.empty(),
                        clock,
                        Duration.ofSeconds(1));
        assertThat(map.get().size()).isZero();
        mayRead.set(true);
        assertThat(map.again().size()).isZero();
        assertThat(readings).as("for each stranger who asks").hasValue(1);
        clock.advance(Duration.ofSeconds(1));
        assertThat(map.get().size()).isEqualTo(1);
        clock.advance(Duration.ofSeconds(1));
        assertThat(map.get().size()).isEqualTo(1);
        assertThat(readings).hasValue(2);
    }

    @Test
    void whoHasJustBeenAddedIsFoundAtOnce(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("grid-mapfile");
        Files.writeString(file, "\"/CN=a\" a\n");
        Current<GridMap> map =
                new Reloaded<>(file, GridMap::load, new SimClock(), Duration.ofSeconds(1));
        assertThat(map.find(names -> names.lookUp("/CN=b"))).isEmpty();
        Files.writeString(file, "\"/CN=a\" a\n\"/CN=b\" b\n");
        assertThat(map.find(names -> names.lookUp("/CN=b"))).isPresent();
    }
}

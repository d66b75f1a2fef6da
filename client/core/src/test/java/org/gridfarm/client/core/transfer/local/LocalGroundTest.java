package org.gridfarm.client.core.transfer.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.gridfarm.protocol.env.SimClock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** What a node may have a mount of root open. */
class LocalGroundTest {
    @TempDir private Path scratch;

    private final SimClock clock = new SimClock(Instant.now());
    private final LocalGround ground = new LocalGround(clock, List.of());
    private Path data;
    private Path replica;
    private Path staged;

    @BeforeEach
    void layOut() throws IOException {
        data = Files.createDirectories(scratch.toRealPath().resolve("data"));
        Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwx------"));
        Files.writeString(data.resolve("version"), "format=1\n");
        Path slot = Files.createDirectories(data.resolve("objects/00/1f"));
        replica = Files.writeString(slot.resolve("1f05.0.12"), "content");
        staged =
                Files.createFile(
                        Files.createDirectories(data.resolve("staged/3f"))
                                .resolve("7f.0123456789abcdef"));
    }

    private void refused(Path path, String why) {
        assertThatThrownBy(() -> ground.check(path.toString()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(why);
    }

    @Test
    void whatLiesWhereReplicasLieIsTaken() {
        assertThatCode(() -> ground.check(replica.toString())).doesNotThrowAnyException();
        assertThatCode(() -> ground.check(staged.toString())).doesNotThrowAnyException();
    }

    @Test
    void otherPlacesAreNot() throws IOException {
        refused(Path.of("/etc/shadow"), "no place of a replica");
        refused(data.resolve("version"), "no place of a replica");
        refused(data.resolve("objects/00/1f/../1f/1f05.0.12"), "no place of a replica");
        Path lookalike = Files.createDirectories(scratch.toRealPath().resolve("x/objects/00/1f"));
        assertThatThrownBy(() ->
                        ground.check(Files.writeString(lookalike.resolve("1.0.1"), "").toString()))
                .as("no data directory")
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void aLinkIsNotFollowed() throws IOException {
        Path secret = Files.writeString(scratch.resolve("secret"), "of somebody else");
        Files.delete(replica);
        Files.createSymbolicLink(replica, secret);
        refused(replica, "no regular file");
        Path alias = Files.createSymbolicLink(scratch.toRealPath().resolve("alias"), data);
        refused(alias.resolve("staged/3f").resolve(staged.getFileName()), "no directory");
    }

    @Test
    void norIsAnotherOwnersFileOrADirectoryInWhichOthersWrite() throws IOException {
        assumeTrue(System.getProperty("user.name").equals("root"), "only root gives files away");
        Files.setAttribute(staged, "unix:uid", 65534);
        refused(staged, "another owner");
        Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxrwx---"));
        clock.advance(Duration.ofSeconds(1));
        refused(replica, "others may write");
    }

    @Test
    void whereTheDirectoriesAreConfiguredOthersAreRefused() {
        LocalGround narrow = new LocalGround(clock, List.of(scratch.resolve("elsewhere")));
        assertThatThrownBy(() -> narrow.check(replica.toString()))
                .hasMessageContaining("not below node_data");
        assertThatCode(() ->
                        new LocalGround(clock, List.of(scratch.resolve("data")))
                                .check(replica.toString()))
                .doesNotThrowAnyException();
    }

    /** A mount of an ordinary user beside a node of another account: all goes through the node. */
    @Test
    void whoMayNotOpenOneDoesNotAskForMoreForAWhile() {
        ground.failed(new NoSuchFileException("removed meanwhile"));
        assertThat(ground.isOpen()).isTrue();
        ground.failed(new AccessDeniedException(replica.toString()));
        assertThat(ground.isOpen()).isFalse();
        clock.advance(Duration.ofMinutes(2));
        assertThat(ground.isOpen()).isTrue();
    }
}

package org.gridfarm.storagenode.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.LocalInput;
import org.gridfarm.protocol.wire.RunTaskReply;
import org.gridfarm.protocol.wire.RunTaskRequest;
import org.gridfarm.storagenode.disk.ReadOnlyViews;
import org.gridfarm.storagenode.disk.linux.LinuxViews;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Real processes, files and mounts: a replica that the user himself cannot open. */
class TaskLocalsTest {
    private static final int NOBODY = 65534;
    private static final int OTHER = 65533;

    @TempDir Path root;
    private Path scratch;
    private Path replica;

    @BeforeEach
    void aReplicaThatIsTheNodesAlone() throws IOException {
        Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
        scratch = Files.createDirectory(root.resolve("scratch"));
        Files.setPosixFilePermissions(scratch, PosixFilePermissions.fromString("rwxrwxrwx"));
        Path data = Files.createDirectory(root.resolve("data"));
        Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwx------"));
        replica = Files.writeString(data.resolve("7.0.1"), "the content\n");
        Files.setPosixFilePermissions(replica, PosixFilePermissions.fromString("rw-------"));
    }

    /** Of the scheduler that asked; only handed on. */
    private static Peer peer() {
        return (Peer)
                Proxy.newProxyInstance(
                        Peer.class.getClassLoader(),
                        new Class<?>[] {Peer.class},
                        (_, _, _) -> null);
    }

    private TaskLocals.Source source(ReadOnlyViews views) {
        return new TaskLocals.Source(
                (_, _, ticket) ->
                        ticket.toStringUtf8().equals("good")
                                ? CompletableFuture.completedFuture(replica)
                                : CompletableFuture.failedFuture(new IOException("refused")),
                views,
                scratch,
                root.resolve("spool"));
    }

    private RunTaskReply run(String command, String ticket, int user, ReadOnlyViews views) {
        TaskSettings settings =
                new TaskSettings(
                        1,
                        root.resolve("mnt").toString(),
                        Duration.ofMillis(300),
                        scratch,
                        1000,
                        user == 0,
                        root.resolve("spool"),
                        0,
                        1 << 30,
                        0);
        RunTaskRequest request =
                RunTaskRequest.newBuilder()
                        .setTask("1.1.1")
                        .addAllArgv(
                                Stream.of("/bin/sh", "-c", command)
                                        .map(ByteString::copyFromUtf8)
                                        .toList())
                        .setUid(user)
                        .setGid(user)
                        .addLocals(
                                LocalInput.newBuilder()
                                        .setPath(ByteString.copyFromUtf8("/in/a b.txt"))
                                        .setTicket(ByteString.copyFromUtf8(ticket)))
                        .build();
        TaskRun run =
                new TaskRun(
                        request,
                        settings,
                        ProcessTrees.ofThisHost(),
                        new Spool(scratch, 0, Clock.system(), _ -> true),
                        Clock.system(),
                        new TaskLocals(
                                source(views), Optional.of(peer()), request.getLocalsList()));
        run.start();
        return run.outcome().join();
    }

    private List<Path> left() throws IOException {
        try (Stream<Path> files = Files.list(scratch)) {
            return files.filter(file -> file.toString().contains("gridfarm-local")).toList();
        }
    }

    private void makeMount() throws IOException {
        Files.createDirectory(root.resolve("mnt"));
    }

    @Test
    void theUserReadsThePlainFileUnderItsNameAndChangesNothing() throws IOException {
        assumeTrue(TaskUser.self() == 0, "shows files of others only as root");
        makeMount();
        for (int user : new int[] {NOBODY, 0}) {
            RunTaskReply reply =
                    run(
                            "cat \"$GF_LOCAL_1\"; basename \"$GF_LOCAL_1\"; stat -c '%u %i' \"$GF_LOCAL_1\""
                                    + "; { echo x >> \"$GF_LOCAL_1\"; } 2>&1 | grep -o 'Read-only file system'"
                                    + "; rm -f \"$GF_LOCAL_1\" 2>/dev/null || echo stays",
                            "good", user, LinuxViews.orNone());
            assertThat(reply.getFailure() + reply.getStderr().toStringUtf8()).isEmpty();
            assertThat(reply.getStdout().toStringUtf8())
                    .isEqualTo(
                            "the content\na b.txt\n%d %s\nRead-only file system\nstays\n"
                                    .formatted(user, Files.getAttribute(replica, "unix:ino")));
            assertThat(left()).isEmpty();
        }
        assertThat(replica).hasContent("the content\n");
        assertThat(Files.getAttribute(replica, "unix:uid")).isEqualTo(0);
    }

    /** What is shown to one user is nobody else's, whoever finds the path. */
    @Test
    void nobodyElseReadsWhatIsShown() throws Exception {
        assumeTrue(TaskUser.self() == 0, "shows files of others only as root");
        makeMount();
        Path gate = root.resolve("gate");
        new ProcessBuilder("mkfifo", "-m", "666", gate.toString()).start().waitFor();
        CompletableFuture<RunTaskReply> running =
                CompletableFuture.supplyAsync(() ->
                        run(
                                "echo \"$GF_LOCAL_1\" > " + gate + "; read line < " + gate,
                                "good",
                                NOBODY,
                                LinuxViews.orNone()));
        String shown = Files.readString(gate).strip();
        Process other =
                new ProcessBuilder(
                                "setpriv",
                                "--reuid=" + OTHER,
                                "--regid=" + OTHER,
                                "--clear-groups",
                                "cat",
                                shown)
                        .redirectErrorStream(true)
                        .start();
        assertThat(new String(other.getInputStream().readAllBytes())).contains("denied");
        Files.writeString(gate, "end\n");
        assertThat(running.join().getExitCode()).isZero();
        assertThat(left()).isEmpty();
    }

    @Test
    void whatCannotBeShownIsReadThroughTheMount() throws IOException {
        makeMount();
        int user = TaskUser.self() == 0 ? NOBODY : (int) TaskUser.self();
        String through = root.resolve("mnt") + "/in/a b.txt\n";
        for (String ticket : List.of("bad", "")) {
            assertThat(
                            run("echo \"$GF_LOCAL_1\"", ticket, user, LinuxViews.orNone())
                                    .getStdout()
                                    .toStringUtf8())
                    .isEqualTo(through);
        }
        assertThat(
                        run("echo \"$GF_LOCAL_1\"", "good", user, ReadOnlyViews.NONE)
                                .getStdout()
                                .toStringUtf8())
                .isEqualTo(through);
        assertThat(left()).isEmpty();
    }

    @Test
    void aNodeThatStartsAgainTakesAwayWhatTheOneBeforeShowed() throws Exception {
        assumeTrue(TaskUser.self() == 0, "shows files of others only as root");
        TaskUser user = new TaskUser("t", NOBODY, NOBODY, Optional.empty(), 0);
        TaskLocals.Source source = source(LinuxViews.orNone());
        LocalInput input =
                LocalInput.newBuilder()
                        .setPath(ByteString.copyFromUtf8("/in/a"))
                        .setTicket(ByteString.copyFromUtf8("good"))
                        .build();
        String shown =
                new TaskLocals(source, Optional.of(peer()), List.of(input))
                        .place(user, "/mnt")
                        .get("GF_LOCAL_1");
        assertThat(Path.of(String.valueOf(shown))).hasContent("the content\n");
        source.removeLeft();
        assertThat(left()).isEmpty();
        assertThat(replica).hasContent("the content\n");
    }
}

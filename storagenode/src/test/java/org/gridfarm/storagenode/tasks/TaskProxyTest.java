package org.gridfarm.storagenode.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.wire.RunTaskReply;
import org.gridfarm.protocol.wire.RunTaskRequest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Real processes and files. */
class TaskProxyTest {
    private static final int NOBODY = 65534;

    @TempDir Path scratch;

    @BeforeEach
    void letTheTasksIn() throws IOException {
        Files.setPosixFilePermissions(scratch, PosixFilePermissions.fromString("rwxrwxrwx"));
    }

    private static boolean isRoot() throws IOException {
        return TaskUser.self() == 0;
    }

    private TaskRun start(String command, String proxy) throws IOException {
        RunTaskRequest.Builder request =
                RunTaskRequest.newBuilder()
                        .setTask("1.1.1")
                        .setUser("tester")
                        .setUid(isRoot() ? NOBODY : (int) TaskUser.self())
                        .setGid(isRoot() ? NOBODY : (int) TaskUser.self())
                        .setProxy(ByteString.copyFromUtf8(proxy));
        for (String word : List.of("/bin/sh", "-c", command)) {
            request.addArgv(ByteString.copyFromUtf8(word));
        }
        TaskSettings settings =
                new TaskSettings(
                        1,
                        "",
                        Duration.ofMillis(300),
                        scratch,
                        1000,
                        false,
                        scratch,
                        0,
                        1 << 30,
                        0);
        TaskRun run =
                new TaskRun(
                        request.build(),
                        settings,
                        ProcessTrees.ofThisHost(),
                        new Spool(scratch, 0, Clock.system(), _ -> true),
                        Clock.system(),
                        NoLocals.of(settings));
        run.start();
        return run;
    }

    private List<Path> left() throws IOException {
        try (Stream<Path> files = Files.list(scratch)) {
            return files.filter(file -> file.getFileName().toString().contains("proxy")).toList();
        }
    }

    @Test
    void aTaskFindsItsProxyAndNothingIsLeftOfIt() throws IOException {
        RunTaskReply reply =
                start(
                                "cat \"$X509_USER_PROXY\"; stat -c ' %a %u' \"$X509_USER_PROXY\"; id -u",
                                "the proxy")
                        .outcome()
                        .join();
        String id = isRoot() ? "65534" : Long.toString(TaskUser.self());
        assertThat(reply.getFailure() + reply.getStderr().toStringUtf8()).isEmpty();
        assertThat(reply.getStdout().toStringUtf8())
                .isEqualTo("the proxy 600 " + id + "\n" + id + "\n");
        assertThat(left()).isEmpty();
    }

    @Test
    void withoutOneNothingIsNamed() throws IOException {
        RunTaskReply reply = start("echo \"<$X509_USER_PROXY>\"", "").outcome().join();
        assertThat(reply.getStdout().toStringUtf8()).isEqualTo("<>\n");
    }

    @Test
    void whileItRunsItsProxyIsReplacedAtOnce() throws Exception {
        Path gate = scratch.resolve("gate");
        new ProcessBuilder("mkfifo", "-m", "666", gate.toString()).start().waitFor();
        TaskRun run =
                start(
                        "cat $X509_USER_PROXY; read line < " + gate + "; cat $X509_USER_PROXY",
                        "old,");
        assertThat(run.output(false).read(0, 4, Duration.ofSeconds(20)).join().getData())
                .isEqualTo(ByteString.copyFromUtf8("old,"));
        run.renew(ByteString.copyFromUtf8("new"));
        Files.writeString(gate, "go\n");
        assertThat(run.outcome().join().getStdout().toStringUtf8()).isEqualTo("old,new");
        run.renew(ByteString.copyFromUtf8("too late"));
        assertThat(left()).isEmpty();
    }

    /** The node writes there as root: what the task does must not lead it elsewhere. */
    @Test
    void aTaskPutsNothingInThePlaceOfItsProxy() throws IOException {
        if (!isRoot()) {
            return; // then the place is the user's, as is the node
        }
        RunTaskReply reply =
                start(
                                "d=$(dirname $X509_USER_PROXY); ln -s /etc/passwd $d/x509up.part;"
                                        + " rm -f $X509_USER_PROXY; mv $X509_USER_PROXY $d/other; ls $d; echo end",
                                "the proxy")
                        .outcome()
                        .join();
        assertThat(reply.getStdout().toStringUtf8()).isEqualTo("end\n");
        assertThat(reply.getStderr().toStringUtf8()).contains("Permission denied");
        assertThat(left()).isEmpty();
    }

    @Test
    void aNodeThatStartsAgainRemovesWhatItsTasksLeft() throws IOException {
        TaskUser user = new TaskUser("t", TaskUser.self(), TaskUser.self(), Optional.empty(), 1);
        Path spool = scratch.resolve("spool");
        new TaskProxy(scratch, spool, ByteString.copyFromUtf8("left")).place(user);
        new TaskProxy(scratch, scratch.resolve("other"), ByteString.copyFromUtf8("other's"))
                .place(user);
        assertThat(left()).hasSize(2);
        TaskProxy.removeLeft(scratch, spool);
        assertThat(left()).hasSize(1);
    }
}

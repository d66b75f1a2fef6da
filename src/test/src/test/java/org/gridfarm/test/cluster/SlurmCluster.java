package org.gridfarm.test.cluster;

import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.Assumptions;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A Slurm cluster in a directory: Debian's munged and slurmctld, and a slurmd for each node, all on
 * loopback as processes of this test. A node has the farm's name as a feature, as
 * docs/jobs-via-slurm.md asks for.
 */
final class SlurmCluster implements AutoCloseable {
    private static final int END_SECONDS = 10;
    private static final Duration START_MAX = Duration.ofSeconds(30);

    private final Path directory;
    private final List<Process> processes = new ArrayList<>(); // in the order of their start

    private SlurmCluster(Path directory) {
        this.directory = directory;
    }

    /** The test is skipped where Slurm is not installed, or cannot run as it has to. */
    static SlurmCluster start(Path directory, List<String> nodes, int processors)
            throws IOException {
        for (String program : List.of("munged", "slurmctld", "slurmd", "sbatch")) {
            Programs.need(program);
        }
        Assumptions.assumeTrue(
                Files.isWritable(Path.of("/proc/sys/vm/drop_caches")), "slurmd needs root");
        SlurmCluster cluster = new SlurmCluster(directory);
        try {
            cluster.write(nodes, processors);
            cluster.run(nodes);
        } catch (IOException | RuntimeException | AssertionError e) {
            cluster.close();
            throw e;
        }
        return cluster;
    }

    private void write(List<String> nodes, int processors) throws IOException {
        for (String part : List.of("run", "state", "log")) {
            Files.createDirectories(directory.resolve(part));
        }
        byte[] key = new byte[128];
        new SecureRandom().nextBytes(key);
        Files.write(directory.resolve("munge.key"), key);
        List<ServerSocket> taken = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        try {
            text.append(
                    """
                    ClusterName=gftest
                    SlurmctldHost=localhost(127.0.0.1)
                    SlurmctldPort=%2$d
                    SlurmUser=root
                    AuthType=auth/munge
                    AuthInfo=socket=%1$s/run/munge
                    CredType=cred/munge
                    StateSaveLocation=%1$s/state
                    SlurmdSpoolDir=%1$s/spool.%%n
                    SlurmctldPidFile=%1$s/run/slurmctld.pid
                    SlurmdPidFile=%1$s/run/slurmd.%%n.pid
                    ProctrackType=proctrack/linuxproc
                    TaskPlugin=task/none
                    MpiDefault=none
                    JobAcctGatherType=jobacct_gather/none
                    SelectType=select/cons_tres
                    SelectTypeParameters=CR_CPU
                    SchedulerParameters=bf_interval=1,batch_sched_delay=0
                    SlurmdParameters=config_overrides
                    PropagateResourceLimits=NONE
                    ReturnToService=2
                    KillWait=2
                    PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
                    """
                            .formatted(directory, free(taken)));
            for (String node : nodes) {
                text.append(
                        "NodeName=%1$s NodeHostname=localhost NodeAddr=127.0.0.1 Port=%2$d CPUs=%3$d Feature=%1$s\n"
                                .formatted(node, free(taken), processors));
            }
        } finally {
            for (ServerSocket socket : taken) {
                socket.close();
            }
        }
        Files.writeString(configuration(), text);
    }

    private static int free(List<ServerSocket> taken) throws IOException {
        ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        taken.add(socket);
        return socket.getLocalPort();
    }

    private void run(List<String> nodes) throws IOException {
        Files.setPosixFilePermissions(
                directory.resolve("munge.key"),
                java.nio.file.attribute.PosixFilePermissions.fromString("rw-------"));
        start(
                "munged",
                "munged",
                "-F",
                "--force",
                "--key-file=" + directory.resolve("munge.key"),
                "--socket=" + directory.resolve("run/munge"),
                "--pid-file=" + directory.resolve("run/munged.pid"),
                "--log-file=" + directory.resolve("log/munge"),
                "--seed-file=" + directory.resolve("run/seed"));
        await("munged").atMost(START_MAX).until(() -> Files.exists(directory.resolve("run/munge")));
        start("slurmctld", "slurmctld", "-D", "-f", configuration().toString());
        for (String node : nodes) {
            Files.createDirectories(directory.resolve("spool." + node));
            start("slurmd." + node, "slurmd", "-D", "-N", node, "-f", configuration().toString());
        }
        await("idle nodes")
                .atMost(START_MAX)
                .until(() ->
                        output("sinfo", "-h", "-N", "-o", "%t")
                                .equals("idle\n".repeat(nodes.size())));
    }

    private void start(String name, String... command) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("log/" + name).toFile());
        builder.environment().putAll(environment());
        processes.add(builder.start());
    }

    private Path configuration() {
        return directory.resolve("slurm.conf");
    }

    /** By which Slurm's commands find this one. */
    Map<String, String> environment() {
        return Map.of("SLURM_CONF", configuration().toString());
    }

    /** Of one of Slurm's commands. */
    String output(String... command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment());
        return new String(
                builder.start().getInputStream().readAllBytes(),
                java.nio.charset.StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        if (processes.size() > 1) {
            output("scancel", "-u", "root");
        }
        for (Process process : processes.reversed()) {
            process.destroy();
            try {
                if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                process.destroyForcibly();
            }
        }
    }
}

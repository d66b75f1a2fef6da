import org.gridfarm.client.FarmFile;
import org.gridfarm.client.FileLayout;
import org.gridfarm.client.FileStatus;
import org.gridfarm.client.Gridfarm;
import org.gridfarm.client.Job;
import org.gridfarm.client.JobSpec;
import org.gridfarm.client.JobStatus;
import org.gridfarm.client.OpenMode;
import org.gridfarm.client.TaskResult;
import org.gridfarm.client.TaskSpec;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Goes through the public API from outside, with the published artifact alone; SampleProgramTest
 * runs it. Ends with the first thing that is not as the Javadoc says.
 */
class ApiTour {
    private static final int PIECES = 24;
    private static final int PIECE_BYTES = 700_001;

    private final Gridfarm farm;
    private final String root;

    private ApiTour(Gridfarm farm, String root) {
        this.farm = farm;
        this.root = root;
    }

    public static void main(String[] args) throws Exception {
        try (Gridfarm farm = Gridfarm.connect()) {
            ApiTour tour = new ApiTour(farm, args[0]);
            farm.mkdirs(args[0]);
            tour.names();
            tour.futures();
            tour.copies();
            tour.failures();
            tour.jobs();
        }
        closedAndUnreachable();
        System.out.println("the tour has ended");
    }

    private void names() throws Exception {
        try (OutputStream out = farm.write(root + "/a")) {
            out.write("one\n".getBytes(StandardCharsets.UTF_8));
        }
        try (OutputStream out = farm.append(root + "/a")) {
            out.write("two\n".getBytes(StandardCharsets.UTF_8));
        }
        same(Files.readString(farm.path(root + "/a")), "one\ntwo\n");
        farm.chmod(root + "/a", 0640);
        FileStatus status = farm.stat(root + "/a");
        same(status.mode(), 0640);
        same(status.size(), 8L);
        same(status.type(), FileStatus.Type.FILE);
        farm.symlink("a", root + "/l");
        same(farm.readLink(root + "/l"), "a");
        same(farm.statLink(root + "/l").isSymbolicLink(), true);
        farm.rename(root + "/a", root + "/b");
        same(farm.exists(root + "/a"), false);
        farm.setXattr(root + "/b", "user.from", new byte[] {1});
        same(farm.getXattr(root + "/b", "user.from").orElseThrow()[0], (byte) 1);
        same(
                farm.list(root).map(FileStatus::path).sorted().toList(),
                List.of(root + "/b", root + "/l"));
        same(farm.glob(root + "/[bc]"), List.of(root + "/b"));
        farm.copy(root + "/b", root + "/c");
        same(farm.stat(root + "/c").size(), 8L);
        farm.delete(root + "/c");
    }

    private void futures() throws Exception {
        byte[] content = new byte[PIECES * PIECE_BYTES];
        new Random(1).nextBytes(content);
        try (FarmFile file = farm.create(root + "/f", OpenMode.READ_WRITE, false)) {
            List<CompletableFuture<Void>> writes = new ArrayList<>();
            for (int i = PIECES - 1; i >= 0; i--) {
                writes.add(
                        file.writeAsync(
                                (long) i * PIECE_BYTES,
                                ByteBuffer.wrap(content, i * PIECE_BYTES, PIECE_BYTES)));
            }
            CompletableFuture.allOf(writes.toArray(new CompletableFuture<?>[0])).join();
            file.syncAsync().join();
            same(file.size(), (long) content.length);
        }
        FarmFile file = farm.openAsync(root + "/f", OpenMode.READ).join();
        ByteBuffer all = ByteBuffer.allocateDirect(content.length + 1);
        same(file.readAsync(0, all).join(), content.length);
        same(all.flip().compareTo(ByteBuffer.wrap(content)), 0);
        same(file.readAsync(content.length, ByteBuffer.allocate(1)).join(), -1);
        // What is chained to a future may block.
        same(
                file.readAsync(5, ByteBuffer.allocate(1))
                        .thenApply(n -> farm.stat(root + "/f").size())
                        .join(),
                (long) content.length);
        file.closeAsync().join();
        same(farm.statAsync(root + "/f").join().size(), (long) content.length);
        try {
            farm.statAsync(root + "/none").join();
            throw new AssertionError("a future of nothing");
        } catch (CompletionException e) {
            same(((FarmException) e.getCause()).kind(), ErrorKind.NOT_FOUND);
        }
    }

    private void copies() throws Exception {
        farm.setReplicas(root + "/f", 2);
        farm.awaitReplicas(root + "/f", Duration.ofSeconds(60));
        FileLayout layout = farm.where(root + "/f");
        same(
                layout.stripes().get(0).copies().stream().filter(FileLayout.Copy::readable).count()
                        >= 2,
                true);
        Path path = Path.of(URI.create("gf:" + root + "/f"));
        same(Files.getAttribute(path, "gf:replicas"), 2);
        List<?> nodes = (List<?>) Files.getAttribute(path, "gf:nodes");
        same(
                nodes.stream().sorted().toList(),
                layout.stripes().get(0).copies().stream()
                        .filter(FileLayout.Copy::readable)
                        .map(FileLayout.Copy::node)
                        .sorted()
                        .toList());
        Files.setAttribute(path, "gf:replicas", 1);
        same(farm.stat(root + "/f").replicas(), 1);
        same(farm.nodes().size() >= 2, true);
        path.getFileSystem().close();
    }

    private void failures() throws Exception {
        same(kind(() -> farm.stat(root + "/none")), ErrorKind.NOT_FOUND);
        same(kind(() -> farm.open(root, OpenMode.READ)), ErrorKind.IS_A_DIRECTORY);
        same(kind(() -> farm.create(root + "/f", OpenMode.WRITE, false)), ErrorKind.ALREADY_EXISTS);
        same(kind(() -> farm.delete(root)), ErrorKind.NOT_EMPTY);
        same(kind(() -> farm.stat("not/absolute")), ErrorKind.INVALID);
        same(kind(() -> farm.stat("/a\0b")), ErrorKind.INVALID);
        try (FarmFile file = farm.open(root + "/f", OpenMode.READ)) {
            same(kind(() -> file.read(-1, ByteBuffer.allocate(1))), ErrorKind.INVALID);
            same(kind(() -> file.write(0, ByteBuffer.allocate(1))), ErrorKind.BAD_HANDLE);
            Thread.currentThread().interrupt();
            same(kind(() -> file.read(0, ByteBuffer.allocate(1))), ErrorKind.INTERRUPTED);
            same(Thread.interrupted(), true);
            same(file.read(0, ByteBuffer.allocate(1)), 1);
        }
        try {
            Files.readAllBytes(farm.path(root + "/none"));
            throw new AssertionError("nothing was read");
        } catch (NoSuchFileException e) {
            same(e.getFile(), root + "/none");
        }
    }

    private void jobs() throws Exception {
        Job job =
                farm.submit(
                        JobSpec.of(
                                "tour",
                                TaskSpec.shell("wc -c < \"$GF_MOUNT" + root + "/b\"", root + "/b"),
                                TaskSpec.shell("echo wrong >&2; exit 3")));
        List<TaskResult> told = new ArrayList<>();
        JobStatus end = job.follow(told::add);
        same(end.state(), JobStatus.State.FAILED);
        same(end.succeeded() + "," + end.failed() + "," + told.size(), "1,1,2");
        List<TaskResult> again = farm.job(job.id()).await(Duration.ofSeconds(30));
        same(again.get(1).exitCode(), 3);
        same(again.get(1).state(), TaskResult.State.FAILED);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        job.copyOutput(0, out);
        job.copyErrors(1, out);
        same(out.toString(StandardCharsets.UTF_8).replaceAll("\\s+", " "), "8 wrong ");
        Job endless = farm.submit(JobSpec.of("endless", TaskSpec.shell("sleep 600")));
        same(kind(() -> endless.await(Duration.ofMillis(50))), ErrorKind.TIMED_OUT);
        endless.cancel();
        same(endless.await().get(0).state(), TaskResult.State.CANCELLED);
        same(endless.status().state(), JobStatus.State.CANCELLED);
        same(kind(() -> farm.job(Long.MAX_VALUE >> 8).status()), ErrorKind.NOT_FOUND);
        same(kind(() -> JobSpec.of("empty")), ErrorKind.INVALID);
    }

    private static void closedAndUnreachable() throws Exception {
        Gridfarm closed = Gridfarm.connect();
        closed.close();
        same(kind(() -> closed.stat("/")), ErrorKind.CANCELLED);
        same(
                kind(() -> Gridfarm.builder().configuration(Path.of("/nowhere.toml")).connect()),
                ErrorKind.BAD_CONFIGURATION);
    }

    private static ErrorKind kind(Runnable call) {
        try {
            call.run();
        } catch (FarmException e) {
            return e.kind();
        }
        throw new AssertionError("nothing was refused");
    }

    private static void same(Object found, Object wanted) {
        if (!found.equals(wanted)) {
            throw new AssertionError("found " + found + ", not " + wanted);
        }
    }
}

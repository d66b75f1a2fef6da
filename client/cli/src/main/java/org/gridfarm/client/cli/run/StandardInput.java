package org.gridfarm.client.cli.run;

import com.google.protobuf.ByteString;

import org.gridfarm.client.cli.Failures;
import org.gridfarm.client.cli.SchedulerLine;
import org.gridfarm.protocol.api.SchedulerMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.Exit;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.TaskInputReply;
import org.gridfarm.protocol.wire.TaskInputRequest;
import org.jspecify.annotations.Nullable;

import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Standard input of this process, sent to a job's only task as that reads it. A file is sent again
 * from its beginning when the task is begun anew on another node; what came through a pipe is gone
 * then, and the job is cancelled.
 */
public final class StandardInput {
    private static final Path DESCRIPTOR = Path.of("/proc/self/fd/0");
    private static final int PIECE_BYTES = 256 << 10;
    private static final int WAIT_MILLIS = 4_000;

    private static volatile boolean isTaken;

    private final FileChannel channel = new FileInputStream(FileDescriptor.in).getChannel();
    private final long begin; // of a file that can be read again; -1 for a pipe
    private final BlockingQueue<ByteString> fromPipe = new SynchronousQueue<>();

    private StandardInput(boolean isFile) throws IOException {
        this.begin = isFile ? channel.position() : -1;
    }

    /** It holds the commands that this process runs: it is no input of theirs. */
    public static void take() {
        isTaken = true;
        System.setIn(InputStream.nullInputStream());
    }

    /** What a process that this one starts reads. */
    public static ProcessBuilder.Redirect ofChildren() {
        return isTaken
                ? ProcessBuilder.Redirect.from(new File("/dev/null"))
                : ProcessBuilder.Redirect.INHERIT;
    }

    /** Whether there is one that means something to a task: no terminal and not /dev/null. */
    public static boolean isThere() {
        if (isTaken) return false;
        try {
            Path file = Files.readSymbolicLink(DESCRIPTOR);
            return !file.startsWith("/dev") || Files.isRegularFile(DESCRIPTOR);
        } catch (IOException e) {
            return false; // it is closed
        }
    }

    /**
     * Sends it on a thread of its own, until the task takes no more.
     *
     * @param cancel ends the job, after a line that says why
     */
    public static void send(SchedulerLine scheduler, long job, Runnable cancel) throws IOException {
        StandardInput input = new StandardInput(Files.isRegularFile(DESCRIPTOR));
        if (input.begin < 0) {
            daemon(() -> input.readPipe(cancel), "gf-stdin");
        }
        daemon(
                () -> {
                    try {
                        input.send(scheduler, job);
                    } catch (IOException | RuntimeException e) {
                        Failures.report(e);
                        cancel.run();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "gf-input");
    }

    private static void daemon(Runnable work, String name) {
        Thread.ofPlatform().daemon().name(name).start(work);
    }

    private void send(SchedulerLine scheduler, long job) throws IOException, InterruptedException {
        long at = 0;
        ByteString piece = ByteString.EMPTY;
        boolean isEnd = false;
        while (true) {
            boolean isRead = false;
            if (piece.isEmpty() && !isEnd) {
                @Nullable ByteString next =
                        begin < 0 ? fromPipe.poll(WAIT_MILLIS, TimeUnit.MILLISECONDS) : file(at);
                isRead = next != null;
                piece = next == null ? ByteString.EMPTY : next;
                isEnd = isRead && piece.isEmpty();
            }
            TaskInputReply reply =
                    taken(
                            one -> scheduler.call(SchedulerMethods.INPUT, one),
                            TaskInputRequest.newBuilder()
                                    .setJob(job)
                                    .setOffset(at)
                                    .setData(piece)
                                    .setEnd(isEnd)
                                    .setWaitMillis(WAIT_MILLIS)
                                    .build());
            if (reply.getClosed()) {
                return;
            }
            long accepted = reply.getAccepted();
            if (accepted < at) {
                if (begin < 0) {
                    throw new FarmException(
                            ErrorKind.DISCONNECTED,
                            "run",
                            "job " + job,
                            "it was begun anew after it had read a part of a pipe, which cannot be read again: give it a file");
                }
                at = accepted;
                piece = ByteString.EMPTY;
                isEnd = false;
            } else {
                piece = piece.substring((int) Math.min(piece.size(), accepted - at));
                at = accepted;
            }
        }
    }

    /**
     * As often as the scheduler has no room for it, since inputs of other jobs may wait for long.
     *
     * @param scheduler pauses before it gives up
     */
    static TaskInputReply taken(
            Function<TaskInputRequest, TaskInputReply> scheduler, TaskInputRequest piece) {
        while (true) {
            try {
                return scheduler.apply(piece);
            } catch (FarmException e) {
                if (e.kind() != ErrorKind.OVERLOADED) throw e;
            }
        }
    }

    /** Empty at the end. */
    private ByteString file(long at) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(PIECE_BYTES);
        channel.read(buffer, begin + at);
        return ByteString.copyFrom(buffer.flip());
    }

    private void readPipe(Runnable cancel) {
        ByteBuffer buffer = ByteBuffer.allocate(PIECE_BYTES);
        try {
            boolean isMore = true;
            while (isMore) {
                isMore = channel.read(buffer.clear()) > 0;
                fromPipe.put(ByteString.copyFrom(buffer.flip()));
            }
        } catch (IOException e) {
            Failures.report(e);
            cancel.run();
            Runtime.getRuntime().halt(Exit.INPUT_OUTPUT.code());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

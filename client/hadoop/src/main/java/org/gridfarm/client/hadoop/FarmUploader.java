package org.gridfarm.client.hadoop;

import static org.apache.hadoop.util.functional.FutureIO.eval;

import org.apache.hadoop.fs.BBPartHandle;
import org.apache.hadoop.fs.BBUploadHandle;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.MultipartUploader;
import org.apache.hadoop.fs.PartHandle;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathHandle;
import org.apache.hadoop.fs.UploadHandle;
import org.apache.hadoop.fs.impl.AbstractMultipartUploader;
import org.apache.hadoop.fs.impl.MultipartUploaderBuilderImpl;
import org.gridfarm.client.FarmFile;
import org.gridfarm.client.Gridfarm;
import org.gridfarm.client.OpenMode;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Files whose parts are written by several processes. An upload is a hidden directory beside its
 * file; the parts are put together by the nodes that hold them, and the whole takes its name in one
 * step. Nothing else is kept, so any process may go on with it.
 */
final class FarmUploader extends AbstractMultipartUploader {
    private static final String SUFFIX = ".upload";
    private static final String WHOLE = "whole";
    private static final long COPIED_BYTES = 64L << 20; // each within the time-out
    private static final int BUFFER_BYTES = 1 << 20;

    private final GridfarmFileSystem fileSystem;

    static final class Builder extends MultipartUploaderBuilderImpl<MultipartUploader, Builder> {
        private final GridfarmFileSystem fileSystem;
        private final Path base;

        Builder(GridfarmFileSystem fileSystem, Path base) {
            super(fileSystem, base);
            this.fileSystem = fileSystem;
            this.base = base;
        }

        @Override
        public Builder getThisBuilder() {
            return this;
        }

        @Override
        public MultipartUploader build() {
            return new FarmUploader(fileSystem, base);
        }
    }

    private FarmUploader(GridfarmFileSystem fileSystem, Path base) {
        super(base);
        this.fileSystem = fileSystem;
    }

    @Override
    public CompletableFuture<UploadHandle> startUpload(Path file) throws IOException {
        checkPath(file);
        return eval(() -> {
            String name = "." + file.getName() + '.' + UUID.randomUUID() + SUFFIX;
            Path directory = new Path(file.getParent(), name);
            fileSystem.mkdirs(directory);
            return BBUploadHandle.from(bytes(fileSystem.text(directory)));
        });
    }

    @Override
    public CompletableFuture<PartHandle> putPart(
            UploadHandle upload, int number, boolean isLast, Path file, InputStream in, long length)
            throws IOException {
        checkPutArguments(file, in, number, upload, length);
        return eval(() -> {
            String part = directory(upload, file) + '/' + number;
            try (FSDataOutputStream out = fileSystem.create(fileSystem.path(part), true);
                    in) {
                copy(in, out, length, part);
            }
            return BBPartHandle.from(bytes(part));
        });
    }

    private static void copy(InputStream in, FSDataOutputStream out, long length, String part)
            throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        long left = length;
        while (left > 0) {
            int got = in.read(buffer, 0, (int) Math.min(left, buffer.length));
            if (got < 0) {
                throw new EOFException(part + " lacks " + left + " of " + length + " bytes");
            }
            out.write(buffer, 0, got);
            left -= got;
        }
    }

    @Override
    public CompletableFuture<PathHandle> complete(
            UploadHandle upload, Path file, Map<Integer, PartHandle> parts) throws IOException {
        checkPath(file);
        checkUploadId(upload.toByteArray());
        checkPartHandles(parts);
        List<String> inOrder =
                new TreeMap<>(parts)
                        .values().stream().map(part -> text(part.toByteArray())).toList();
        if (new HashSet<>(inOrder).size() < inOrder.size()) {
            throw new IllegalArgumentException("Duplicate PartHandles: " + inOrder);
        }
        return eval(() -> {
            String directory = directory(upload, file);
            for (String part : inOrder) {
                if (!part.startsWith(directory + '/')) {
                    throw new FileNotFoundException(part + " is no part of " + directory);
                }
            }
            Gridfarm farm = fileSystem.farm();
            String target = fileSystem.text(file);
            Failures.done(() -> {
                String whole = inOrder.get(0);
                if (inOrder.size() > 1) {
                    whole = directory + '/' + WHOLE;
                    join(farm, inOrder, whole);
                }
                replace(farm, whole, target);
                farm.deleteRecursively(directory);
            });
            FileStatus status = fileSystem.getFileStatus(file);
            return fileSystem.getPathHandle(status);
        });
    }

    private static void join(Gridfarm farm, List<String> parts, String whole) {
        try (FarmFile to = farm.create(whole, OpenMode.WRITE, true)) {
            to.truncate(0); // what a former attempt left
            long at = 0;
            for (String part : parts) {
                try (FarmFile from = farm.open(part, OpenMode.READ)) {
                    long size = from.size();
                    for (long done = 0; done < size; ) {
                        long step = Math.min(COPIED_BYTES, size - done);
                        long copied = to.copyFrom(from, done, at, step);
                        if (copied == 0) {
                            throw new FarmException(
                                    ErrorKind.STALE, "copy", part, "it was cut meanwhile");
                        }
                        done += copied;
                        at += copied;
                    }
                }
            }
        }
    }

    private static void replace(Gridfarm farm, String whole, String target) {
        if (farm.exists(target) && farm.stat(target).isDirectory()) {
            throw new FarmException(
                    ErrorKind.ALREADY_EXISTS, "complete upload", target, "it is a directory");
        }
        farm.rename(whole, target);
    }

    @Override
    public CompletableFuture<Void> abort(UploadHandle upload, Path file) throws IOException {
        checkPath(file);
        checkUploadId(upload.toByteArray());
        return eval(() -> {
            String directory = directory(upload, file);
            Gridfarm farm = fileSystem.farm();
            Failures.done(() -> farm.deleteRecursively(directory));
            return null;
        });
    }

    /** Those directly below the path; how many. */
    @Override
    public CompletableFuture<Integer> abortUploadsUnderPath(Path path) throws IOException {
        checkPath(path);
        return eval(() -> {
            Gridfarm farm = fileSystem.farm();
            return Failures.told(() -> {
                List<String> uploads;
                try (var all = farm.walk(fileSystem.text(path))) {
                    uploads =
                            all.filter(org.gridfarm.client.FileStatus::isDirectory)
                                    .map(org.gridfarm.client.FileStatus::path)
                                    .filter(FarmUploader::isUpload)
                                    .toList();
                }
                uploads.forEach(farm::deleteRecursively);
                return uploads.size();
            });
        });
    }

    private static boolean isUpload(String path) {
        String name = path.substring(path.lastIndexOf('/') + 1);
        return name.startsWith(".") && name.endsWith(SUFFIX);
    }

    /** A handle comes from whoever kept it: it may name nothing but an upload of that file. */
    private String directory(UploadHandle upload, Path file) throws IOException {
        checkUploadId(upload.toByteArray());
        String directory = text(upload.toByteArray());
        String beside = fileSystem.text(file);
        String begin =
                beside.substring(0, beside.lastIndexOf('/') + 1) + '.' + file.getName() + '.';
        String rest = directory.startsWith(begin) ? directory.substring(begin.length()) : "/";
        if (rest.contains("/") || !isUpload(directory)) {
            throw new FileNotFoundException(directory + " is no upload of " + file);
        }
        Gridfarm farm = fileSystem.farm();
        Failures.told(() -> farm.statLink(directory));
        return directory;
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}

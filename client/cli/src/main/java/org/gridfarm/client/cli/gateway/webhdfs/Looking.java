package org.gridfarm.client.cli.gateway.webhdfs;

import org.gridfarm.client.cli.gateway.call.Call;
import org.gridfarm.client.core.FileInfo;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.StatFsReply;

import tools.jackson.core.JsonGenerator;

import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.stream.Stream;

/** What is only looked at: attributes, directories, sums. */
final class Looking {
    private static final int PAGE_ENTRIES = 1_000;
    private static final Duration DIGEST_MAX = Duration.ofMinutes(5);
    private static final String DIGEST = "GRIDFARM-SHA256-OF-CRC32C";
    private static final int NO_QUOTA = -1;
    private static final Comparator<FileInfo> BY_NAME =
            Comparator.comparing(entry -> entry.path().last().toString());

    private Looking() {}

    /** Below a file there is nothing, as HDFS says it. */
    private static FileInfo stat(Call call) {
        try {
            return call.farm().stat(call.path());
        } catch (FarmException e) {
            if (e.kind() != ErrorKind.NOT_A_DIRECTORY) throw e;
            throw new FarmException(ErrorKind.NOT_FOUND, "stat", call.path().toString());
        }
    }

    static void status(Call call) throws IOException {
        FileInfo found = stat(call);
        WebHdfs.answer(
                call,
                json -> {
                    json.writeObjectPropertyStart("FileStatus");
                    StatusJson.write(json, call, found, "");
                    json.writeEndObject();
                });
    }

    static void list(Call call) throws IOException {
        FileInfo found = stat(call);
        try (Stream<FileInfo> entries = entries(call, found)) {
            WebHdfs.answer(
                    call,
                    json -> {
                        json.writeObjectPropertyStart("FileStatuses");
                        statuses(json, call, found, entries.iterator());
                        json.writeEndObject();
                    });
        }
    }

    /** A file is the only entry of itself. */
    private static Stream<FileInfo> entries(Call call, FileInfo found) {
        return found.isDirectory() ? call.farm().list(call.path()) : Stream.of(found);
    }

    private static void statuses(
            JsonGenerator json, Call call, FileInfo found, Iterator<FileInfo> entries) {
        json.writeArrayPropertyStart("FileStatus");
        while (entries.hasNext()) {
            FileInfo entry = entries.next();
            json.writeStartObject();
            StatusJson.write(
                    json, call, entry, found.isDirectory() ? entry.path().last().toString() : "");
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    /**
     * The entries that come next by name. Nothing is kept from one page to the next, so each is
     * found among all; no more than a page is in memory.
     */
    static void page(Call call) throws IOException {
        FileInfo found = stat(call);
        String after = call.request().parameters().text("startafter").orElse("");
        PriorityQueue<FileInfo> first = new PriorityQueue<>(BY_NAME.reversed());
        long left = 0;
        try (Stream<FileInfo> entries = entries(call, found)) {
            for (Iterator<FileInfo> each = entries.iterator(); each.hasNext(); ) {
                FileInfo entry = each.next();
                if (found.isDirectory() && entry.path().last().toString().compareTo(after) <= 0) {
                    continue;
                }
                first.add(entry);
                if (first.size() > PAGE_ENTRIES) {
                    first.remove();
                    left++;
                }
            }
        }
        List<FileInfo> page = first.stream().sorted(BY_NAME).toList();
        long remaining = left;
        WebHdfs.answer(
                call,
                json -> {
                    json.writeObjectPropertyStart("DirectoryListing");
                    json.writeObjectPropertyStart("partialListing");
                    json.writeObjectPropertyStart("FileStatuses");
                    statuses(json, call, found, page.iterator());
                    json.writeEndObject();
                    json.writeEndObject();
                    json.writeNumberProperty("remainingEntries", remaining);
                    json.writeEndObject();
                });
    }

    /** What is below a directory. */
    private record Summary(long directories, long files, long bytes, long replicaBytes) {
        static Summary of(Call call) {
            FileInfo top = stat(call);
            long directories = 0;
            long files = 0;
            long bytes = 0;
            long replicaBytes = 0;
            try (Stream<FileInfo> all =
                    top.isDirectory() ? call.farm().walk(call.path()) : Stream.of(top)) {
                for (Iterator<FileInfo> each = all.iterator(); each.hasNext(); ) {
                    FileInfo one = each.next();
                    if (one.isDirectory()) {
                        directories++;
                    } else {
                        files++;
                        bytes += one.isRegularFile() ? one.size() : 0;
                        replicaBytes += one.isRegularFile() ? one.size() * one.replicasWanted() : 0;
                    }
                }
            }
            return new Summary(directories, files, bytes, replicaBytes);
        }
    }

    static void summary(Call call) throws IOException {
        Summary sum = Summary.of(call);
        WebHdfs.answer(
                call,
                json -> {
                    json.writeObjectPropertyStart("ContentSummary");
                    json.writeNumberProperty("directoryCount", sum.directories);
                    json.writeNumberProperty("fileCount", sum.files);
                    json.writeNumberProperty("length", sum.bytes);
                    json.writeNumberProperty("quota", NO_QUOTA);
                    json.writeNumberProperty("spaceConsumed", sum.replicaBytes);
                    json.writeNumberProperty("spaceQuota", NO_QUOTA);
                    json.writeEndObject();
                });
    }

    static void quotaUsage(Call call) throws IOException {
        Summary sum = Summary.of(call);
        WebHdfs.answer(
                call,
                json -> {
                    json.writeObjectPropertyStart("QuotaUsage");
                    json.writeNumberProperty("fileAndDirectoryCount", sum.directories + sum.files);
                    json.writeNumberProperty("quota", NO_QUOTA);
                    json.writeNumberProperty("spaceConsumed", sum.replicaBytes);
                    json.writeNumberProperty("spaceQuota", NO_QUOTA);
                    json.writeEndObject();
                });
    }

    static void checksum(Call call) throws IOException {
        FileInfo found = stat(call);
        if (!found.isRegularFile()) {
            throw new FarmException(
                    ErrorKind.NOT_FOUND, "sum", call.path().toString(), "not a file");
        }
        byte[] digest = call.farm().sum(call.path(), false, DIGEST_MAX).getDigest().toByteArray();
        WebHdfs.answer(
                call,
                json -> {
                    json.writeObjectPropertyStart("FileChecksum");
                    json.writeStringProperty("algorithm", DIGEST);
                    json.writeStringProperty("bytes", HexFormat.of().formatHex(digest));
                    json.writeNumberProperty("length", digest.length);
                    json.writeEndObject();
                });
    }

    static void home(Call call) throws IOException {
        WebHdfs.answer(
                call, json -> json.writeStringProperty("Path", "/user/" + call.farm().user()));
    }

    static void trash(Call call) throws IOException {
        WebHdfs.answer(
                call,
                json ->
                        json.writeStringProperty(
                                "Path", "/user/" + call.farm().user() + "/.Trash"));
    }

    static void linkTarget(Call call) throws IOException {
        String target = call.farm().readLink(call.path());
        WebHdfs.answer(call, json -> json.writeStringProperty("Path", target));
    }

    static void defaults(Call call) throws IOException {
        FileInfo root = call.farm().stat(org.gridfarm.protocol.name.FarmPath.ROOT);
        WebHdfs.answer(
                call,
                json -> {
                    json.writeObjectPropertyStart("FsServerDefaults");
                    json.writeNumberProperty("blockSize", StatusJson.BLOCK_BYTES);
                    json.writeNumberProperty("bytesPerChecksum", 64 << 10);
                    json.writeNumberProperty("checksumType", 2); // CRC32C
                    json.writeNumberProperty("defaultStoragePolicyId", 0);
                    json.writeBooleanProperty("encryptDataTransfer", true);
                    json.writeNumberProperty("fileBufferSize", 1 << 20);
                    json.writeStringProperty("keyProviderUri", "");
                    json.writeNumberProperty("replication", root.replicasWanted());
                    json.writeBooleanProperty("snapshotTrashRootEnabled", false);
                    json.writeNumberProperty("trashInterval", 0);
                    json.writeNumberProperty("writePacketSize", 64 << 10);
                    json.writeEndObject();
                });
    }

    static void space(Call call) throws IOException {
        StatFsReply space = call.farm().space(call.path());
        WebHdfs.answer(
                call,
                json -> {
                    json.writeObjectPropertyStart("FsStatus");
                    json.writeNumberProperty("capacity", space.getTotal());
                    json.writeNumberProperty("remaining", space.getAvailable());
                    json.writeNumberProperty("used", space.getTotal() - space.getFree());
                    json.writeEndObject();
                });
    }
}

package org.gridfarm.client.cli.gateway.s3;

import io.netty.handler.codec.http.HttpHeaderNames;

import org.gridfarm.client.cli.gateway.content.ByteRange;
import org.gridfarm.client.cli.gateway.content.EntityTag;
import org.gridfarm.client.cli.gateway.content.Transfers;
import org.gridfarm.client.cli.gateway.content.Upload;
import org.gridfarm.client.cli.gateway.s3.auth.S3Code;
import org.gridfarm.client.cli.gateway.s3.auth.S3Failure;
import org.gridfarm.client.cli.gateway.s3.auth.SignedBody;
import org.gridfarm.client.core.FarmFile;
import org.gridfarm.client.core.FileInfo;
import org.gridfarm.client.core.NewMode;
import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Objects that come in parts. The parts are files in a hidden directory beside the object, which
 * has what was said of it besides; in the end the nodes put them together in a hidden file, and
 * that gets the name. So nothing of it is seen before, and any gateway goes on with any upload.
 */
final class Multipart {
    private static final int ID_BYTES = 16;
    private static final int PARTS_MAX = 10_000;
    private static final int PRIVATE = 0700;

    /** What is copied in one call, which has to end within the time-out. */
    private static final long COPY_BYTES = 64L << 20;

    private static final String TAKEN = "the file was taken while it was put together";
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Transfers transfers;

    Multipart(Transfers transfers) {
        this.transfers = transfers;
    }

    // ---- begin and end

    void begin(S3Call call) throws IOException {
        Headers headers = Headers.of(call.request());
        call.requireBucket();
        if (call.place().isDirectory()) {
            throw new S3Failure(S3Code.INVALID_ARGUMENT, "a directory has no parts");
        }
        FarmPath beside = call.place().path().parent();
        new Prefixes(call.farm()).make(call.place().bucketPath(), beside);
        byte[] random = new byte[ID_BYTES];
        RANDOM.nextBytes(random);
        String id = HexFormat.of().formatHex(random);
        FarmPath parts = beside.child(Upload.PREFIX + id);
        call.farm().mkdir(parts, NewMode.exactly(PRIVATE));
        headers.keep(call.farm(), parts);
        call.xml(
                200,
                Xml.document(
                        "InitiateMultipartUploadResult",
                        xml ->
                                xml.text("Bucket", call.place().bucket())
                                        .text("Key", call.place().key())
                                        .text("UploadId", id)));
    }

    /** The directory of the parts; NO_SUCH_UPLOAD. */
    private static FileInfo parts(S3Call call) {
        call.requireBucket();
        String id = call.parameters().required("uploadid");
        try {
            // Whatever else an id were, it would be a name of something else.
            if (id.matches("[0-9a-f]{" + 2 * ID_BYTES + "}")) {
                FileInfo found =
                        call.farm()
                                .statLink(call.place().path().parent().child(Upload.PREFIX + id));
                if (found.isDirectory()) return found;
            }
        } catch (FarmException e) {
            if (e.kind() != ErrorKind.NOT_FOUND && e.kind() != ErrorKind.NOT_A_DIRECTORY) throw e;
        }
        throw noUpload();
    }

    private static S3Failure noUpload() {
        return new S3Failure(
                S3Code.NO_SUCH_UPLOAD, "the upload was completed or aborted, or never began");
    }

    void abort(S3Call call) throws IOException {
        end(call, parts(call).path());
        new Prefixes(call.farm()).tidy(call.place().bucketPath(), call.place().path().parent());
        call.answer().empty(204);
    }

    private static void end(S3Call call, FarmPath parts) {
        try {
            call.farm().deleteRecursively(parts);
        } catch (FarmException e) {
            if (e.kind() != ErrorKind.NOT_FOUND) throw e; // somebody else ended it, too
        }
    }

    // ---- parts

    private static String name(long number) {
        return "%05d".formatted(number);
    }

    private static long number(S3Call call) {
        return call.parameters()
                .number("partnumber", 1, PARTS_MAX)
                .orElseThrow(() -> new S3Failure(S3Code.INVALID_ARGUMENT, "partNumber is missing"));
    }

    void put(S3Call call) throws IOException {
        FarmPath part = parts(call).path().child(name(number(call)));
        SignedBody body = call.content();
        try (Transfers.Place _ = transfers.take(call.place().key())) {
            boolean _ = new Upload(call.call(), part).from(body).take(_ -> {});
        } catch (FarmException e) {
            throw e.kind() == ErrorKind.NOT_FOUND ? noUpload() : e; // aborted meanwhile
        }
        call.answer().header(HttpHeaderNames.ETAG, tag(call, part)).empty(200);
    }

    private static String tag(S3Call call, FarmPath part) {
        return EntityTag.of(call.farm().stat(part)).text();
    }

    /** A part out of another object, or of a range of one. */
    void copy(S3Call call) throws IOException {
        FarmPath part = parts(call).path().child(name(number(call)));
        FileInfo source = Copies.source(call);
        Optional<ByteRange> range =
                call.header(Copies.SOURCE + "-range")
                        .flatMap(text -> ByteRange.of(text, source.size()));
        long offset = range.map(ByteRange::offset).orElse(0L);
        long length = range.map(ByteRange::length).orElse(source.size());
        Upload upload =
                new Upload(call.call(), part)
                        .from(file -> {
                            try (file;
                                    FarmFile from =
                                            call.farm().open(source.path(), OpenFlags.READ)) {
                                append(from, offset, length, file, 0);
                                file.sync();
                            }
                        });
        new LongWork(call)
                .answer(() -> {
                    try (Transfers.Place _ = transfers.take(call.place().key())) {
                        boolean _ = upload.take(_ -> {});
                    }
                    return Copies.result("CopyPartResult", call.farm().stat(part));
                });
    }

    private static void append(FarmFile from, long offset, long length, FarmFile to, long end) {
        long done = 0;
        while (done < length) {
            long copied =
                    to.copyFrom(
                            from, offset + done, end + done, Math.min(COPY_BYTES, length - done));
            if (copied == 0) {
                throw new S3Failure(S3Code.INVALID_PART, from.path() + ": " + TAKEN);
            }
            done += copied;
        }
    }

    void list(S3Call call) throws IOException {
        FileInfo directory = parts(call);
        long after = call.parameters().number("part-number-marker", 0, PARTS_MAX).orElse(0);
        int most = (int) call.parameters().number("max-parts", 0, Integer.MAX_VALUE).orElse(1_000);
        List<FileInfo> behind;
        try (Stream<FileInfo> entries = call.farm().list(directory.path())) {
            behind =
                    entries.filter(entry -> !Place.isHidden(entry.path().last().toString()))
                            .filter(entry -> number(entry) > after)
                            .sorted(Comparator.comparing(Multipart::number))
                            .toList();
        }
        List<FileInfo> shown = behind.subList(0, Math.min(Math.min(most, 1_000), behind.size()));
        call.xml(
                200,
                Xml.document(
                        "ListPartsResult",
                        xml -> {
                            xml.text("Bucket", call.place().bucket())
                                    .text("Key", call.place().key())
                                    .text("UploadId", call.parameters().required("uploadid"))
                                    .text("PartNumberMarker", after)
                                    .text("MaxParts", most)
                                    .text("IsTruncated", shown.size() < behind.size());
                            if (!shown.isEmpty()) {
                                xml.text("NextPartNumberMarker", number(shown.getLast()));
                            }
                            shown.forEach(part -> xml.element("Part", each -> part(each, part)));
                        }));
    }

    private static int number(FileInfo part) {
        return Integer.parseInt(part.path().last().toString());
    }

    private static void part(Xml xml, FileInfo part) {
        xml.text("PartNumber", number(part))
                .time("LastModified", part.modified())
                .text("ETag", EntityTag.of(part).text())
                .text("Size", part.size());
    }

    // ---- the whole

    void complete(S3Call call) throws IOException {
        FileInfo directory = parts(call);
        Wishes asked;
        try (SignedBody body = SignedBody.document(call.request(), call.signed())) {
            asked = Wishes.read(body, "CompleteMultipartUpload", "Part", PARTS_MAX);
        }
        List<FileInfo> parts = wanted(call, directory.path(), asked);
        Headers headers = Headers.kept(call.farm(), directory);
        Upload upload =
                new Upload(call.call(), call.place().path())
                        .from(file -> join(call, parts, file))
                        .prepared(file -> headers.keep(call.farm(), file));
        new LongWork(call)
                .answer(() -> {
                    try (Transfers.Place _ = transfers.take(call.place().key())) {
                        S3Objects.take(call, upload, () -> true);
                    } catch (FarmException e) {
                        throw e.kind() == ErrorKind.NOT_FOUND ? noUpload() : e; // by another call
                    }
                    FileInfo made = call.farm().stat(call.place().path());
                    end(call, directory.path());
                    return Xml.document(
                            "CompleteMultipartUploadResult",
                            xml ->
                                    xml.text("Location", call.request().path())
                                            .text("Bucket", call.place().bucket())
                                            .text("Key", call.place().key())
                                            .text("ETag", S3Objects.tag(made)));
                });
    }

    private static List<FileInfo> wanted(S3Call call, FarmPath directory, Wishes asked) {
        List<FileInfo> parts = new ArrayList<>();
        long before = 0;
        for (Map<String, String> each : asked.each()) {
            long number;
            try {
                number = Long.parseLong(Wishes.required(each, "PartNumber").strip());
            } catch (NumberFormatException e) {
                throw new S3Failure(S3Code.MALFORMED_XML, "a PartNumber is none", e);
            }
            if (number <= before) {
                throw new S3Failure(S3Code.INVALID_PART_ORDER, number + " follows " + before);
            }
            before = number;
            parts.add(part(call, directory, number, Wishes.required(each, "ETag").strip()));
        }
        return parts;
    }

    private static FileInfo part(S3Call call, FarmPath directory, long number, String tag) {
        try {
            FileInfo found = call.farm().stat(directory.child(name(number)));
            if (S3Objects.isIn(tag, found)) return found;
        } catch (FarmException e) {
            if (e.kind() != ErrorKind.NOT_FOUND) throw e;
        }
        throw new S3Failure(
                S3Code.INVALID_PART, "part " + number + " did not come, or came with another ETag");
    }

    private static void join(S3Call call, List<FileInfo> parts, FarmFile file) {
        try (file) {
            long end = 0;
            for (FileInfo part : parts) {
                try (FarmFile from = call.farm().open(part.path(), OpenFlags.READ)) {
                    append(from, 0, part.size(), file, end);
                }
                end += part.size();
            }
            file.sync();
        }
    }
}

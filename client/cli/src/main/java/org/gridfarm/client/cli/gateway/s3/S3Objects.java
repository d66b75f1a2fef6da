package org.gridfarm.client.cli.gateway.s3;

import io.netty.handler.codec.http.HttpHeaderNames;

import org.gridfarm.client.cli.gateway.content.ByteRange;
import org.gridfarm.client.cli.gateway.content.Conditions;
import org.gridfarm.client.cli.gateway.content.Download;
import org.gridfarm.client.cli.gateway.content.EntityTag;
import org.gridfarm.client.cli.gateway.content.Transfers;
import org.gridfarm.client.cli.gateway.content.Upload;
import org.gridfarm.client.cli.gateway.s3.auth.S3Code;
import org.gridfarm.client.cli.gateway.s3.auth.S3Failure;
import org.gridfarm.client.cli.gateway.s3.auth.SignedBody;
import org.gridfarm.client.core.FarmFile;
import org.gridfarm.client.core.FileInfo;
import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** GET, HEAD, PUT and DELETE of an object, and copies of one. */
final class S3Objects {
    /** The MD5 of nothing: an object that is a directory has no bytes. */
    private static final String EMPTY_TAG = "\"d41d8cd98f00b204e9800998ecf8427e\"";

    /** An object whose directory goes each time before it is made. */
    private static final int ATTEMPTS_MAX = 5;

    /** What a client may have told to a browser, by an address that he signed. */
    private static final List<String> TOLD =
            List.of(
                    "cache-control",
                    "content-disposition",
                    "content-encoding",
                    "content-language",
                    "content-type",
                    "expires");

    private final Transfers transfers;

    S3Objects(Transfers transfers) {
        this.transfers = transfers;
    }

    // ---- reading

    void read(S3Call call) throws IOException {
        if (call.place().isDirectory()) {
            readDirectory(call);
            return;
        }
        try (Transfers.Place _ = transfers.take(call.place().key());
                FarmFile file = opened(call)) {
            FileInfo found = file.stat();
            if (!found.isRegularFile()) throw call.noSuchKey(null);
            send(call, file, found);
        }
    }

    private static FarmFile opened(S3Call call) {
        try {
            return call.farm().open(call.place().path(), OpenFlags.READ);
        } catch (FarmException e) {
            throw absent(call, e);
        }
    }

    /** What is told of an object that cannot be there. */
    static RuntimeException absent(S3Call call, FarmException failure) {
        return switch (failure.kind()) {
            case NOT_FOUND, NOT_A_DIRECTORY, IS_A_DIRECTORY, LINK_LOOP -> call.noSuchKey(failure);
            default -> failure;
        };
    }

    private static void send(S3Call call, FarmFile file, FileInfo found) throws IOException {
        Headers.kept(call.farm(), new FileInfo(file.path(), found.attributes()))
                .tell(call.answer());
        for (String name : TOLD) {
            call.parameters()
                    .text("response-" + name)
                    .ifPresent(value -> call.answer().header(name, value));
        }
        call.answer()
                .header(HttpHeaderNames.ETAG, EntityTag.of(found).text())
                .header(HttpHeaderNames.LAST_MODIFIED, Conditions.httpDate(found.modified()))
                .header(HttpHeaderNames.ACCEPT_RANGES, "bytes");
        Conditions conditions = new Conditions(call.request(), found);
        switch (conditions.verdict()) {
            case KNOWN -> {
                call.answer().empty(304);
                return;
            }
            case ANOTHER -> throw changed();
            case WANTED -> {}
        }
        Optional<ByteRange> range = conditions.range();
        new Download(call.call(), file).answer(range, found.size());
    }

    static S3Failure changed() {
        return new S3Failure(S3Code.PRECONDITION_FAILED, "the object is not as the request has it");
    }

    private static void readDirectory(S3Call call) throws IOException {
        FileInfo found;
        try {
            found = call.farm().stat(call.place().path());
        } catch (FarmException e) {
            throw absent(call, e);
        }
        if (!found.isDirectory()) throw call.noSuchKey(null);
        call.answer()
                .header(HttpHeaderNames.ETAG, EMPTY_TAG)
                .header(HttpHeaderNames.CONTENT_TYPE, "application/x-directory")
                .header(HttpHeaderNames.LAST_MODIFIED, Conditions.httpDate(found.modified()))
                .empty(200);
    }

    static String tag(FileInfo file) {
        return file.isDirectory() ? EMPTY_TAG : EntityTag.of(file).text();
    }

    // ---- writing

    void put(S3Call call) throws IOException {
        Headers headers = Headers.of(call.request());
        SignedBody body = call.content();
        if (call.place().isDirectory()) {
            putDirectory(call, body);
            return;
        }
        Upload upload =
                new Upload(call.call(), call.place().path())
                        .from(body)
                        .prepared(file -> headers.keep(call.farm(), file));
        try (Transfers.Place _ = transfers.take(call.place().key())) {
            take(call, upload, () -> !body.isBegun());
        }
        FileInfo made = call.farm().stat(call.place().path());
        call.answer().header(HttpHeaderNames.ETAG, tag(made)).empty(200);
    }

    /**
     * With the directories that its key takes, and under the conditions of the request.
     *
     * @param mayRepeat where the content is still all to be had
     */
    static void take(S3Call call, Upload upload, BooleanSupplier mayRepeat) throws IOException {
        boolean onlyNew =
                call.header(HttpHeaderNames.IF_NONE_MATCH).filter("*"::equals).isPresent();
        upload.onlyNew(onlyNew);
        FarmPath directory = call.place().path().parent();
        call.requireBucket();
        for (int attempt = 1; ; attempt++) {
            new Prefixes(call.farm()).make(call.place().bucketPath(), directory);
            try {
                boolean _ = upload.take(there -> judge(call, there));
                return;
            } catch (FarmException e) {
                boolean isLast = attempt == ATTEMPTS_MAX || !mayRepeat.getAsBoolean();
                if (e.kind() != ErrorKind.NOT_FOUND || isLast) throw e;
                // The last object beside it went, and so did the directory.
                call.requireBucket();
            }
        }
    }

    private static void judge(S3Call call, @Nullable FileInfo there) {
        Optional<String> match = call.header(HttpHeaderNames.IF_MATCH);
        Optional<String> none = call.header(HttpHeaderNames.IF_NONE_MATCH);
        if (match.isPresent() && there == null) throw call.noSuchKey(null);
        boolean other = match.isPresent() && there != null && !isIn(match.get(), there);
        boolean known = none.isPresent() && there != null && isIn(none.get(), there);
        if (other || known) throw changed();
    }

    static boolean isIn(String tags, FileInfo file) {
        // Some clients leave the quotes out.
        String bare = EntityTag.of(file).text().replace("\"", "");
        return EntityTag.of(file).isIn(tags) || tags.strip().equals(bare);
    }

    private static void putDirectory(S3Call call, SignedBody body) throws IOException {
        if (body.read() >= 0) {
            throw new S3Failure(
                    S3Code.INVALID_ARGUMENT,
                    "a key with a slash at its end is a directory, and takes no bytes");
        }
        call.requireBucket();
        FarmPath path = call.place().path();
        Prefixes prefixes = new Prefixes(call.farm());
        prefixes.make(call.place().bucketPath(), path);
        prefixes.unmark(path);
        call.answer().header(HttpHeaderNames.ETAG, EMPTY_TAG).empty(200);
    }

    // ---- removing

    void delete(S3Call call) throws IOException {
        call.requireBucket();
        Optional<String> match = call.header(HttpHeaderNames.IF_MATCH);
        if (match.isPresent()) requireMatch(call, match.get());
        remove(call, call.place());
        call.answer().empty(204);
    }

    private static void requireMatch(S3Call call, String tags) {
        FileInfo there;
        try {
            there = call.farm().stat(call.place().path());
        } catch (FarmException e) {
            throw absent(call, e);
        }
        if (!isIn(tags, there)) throw changed();
    }

    /** What is not there is removed already. */
    static void remove(S3Call call, Place place) {
        FarmPath path = place.path();
        try {
            boolean isDirectory = call.farm().statLink(path).isDirectory();
            if (isDirectory != place.isDirectory()) return;
            call.farm().delete(path);
        } catch (FarmException e) {
            switch (e.kind()) {
                case NOT_FOUND, STALE, NOT_A_DIRECTORY, NOT_EMPTY -> {
                    return; // a directory with objects in it is no object
                }
                default -> throw e;
            }
        }
        new Prefixes(call.farm()).tidy(place.bucketPath(), path.parent());
    }
}

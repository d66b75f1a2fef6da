package org.gridfarm.client.cli.gateway.s3;

import org.gridfarm.client.cli.gateway.content.Conditions;
import org.gridfarm.client.cli.gateway.content.Transfers;
import org.gridfarm.client.cli.gateway.content.Upload;
import org.gridfarm.client.cli.gateway.http.Percent;
import org.gridfarm.client.cli.gateway.s3.auth.S3Code;
import org.gridfarm.client.cli.gateway.s3.auth.S3Failure;
import org.gridfarm.client.core.FileInfo;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.time.Instant;
import java.util.Optional;

/** S3Objects that are made of others. The bytes go from node to node. */
final class Copies {
    static final String SOURCE = "x-amz-copy-source";

    private final Transfers transfers;

    Copies(Transfers transfers) {
        this.transfers = transfers;
    }

    void copy(S3Call call) throws IOException {
        FileInfo source = source(call);
        String directive = call.header("x-amz-metadata-directive").orElse("COPY");
        boolean replaces = directive.equals("REPLACE");
        if (!replaces && !directive.equals("COPY")) {
            throw new S3Failure(
                    S3Code.INVALID_ARGUMENT, "x-amz-metadata-directive is COPY or REPLACE");
        }
        if (!replaces && source.path().equals(call.place().path())) {
            throw new S3Failure(
                    S3Code.INVALID_REQUEST, "an object is copied to itself with REPLACE only");
        }
        Headers asked = Headers.of(call.request());
        Headers headers = replaces ? asked : Headers.kept(call.farm(), source);
        Upload upload =
                new Upload(call.call(), call.place().path())
                        .copyOf(source.path())
                        .prepared(file -> headers.keep(call.farm(), file));
        new LongWork(call)
                .answer(() -> {
                    try (Transfers.Place _ = transfers.take(call.place().key())) {
                        S3Objects.take(call, upload, () -> true);
                    }
                    FileInfo made = call.farm().stat(call.place().path());
                    return result("CopyObjectResult", made);
                });
    }

    static Xml result(String name, FileInfo made) {
        return Xml.document(
                name,
                xml -> xml.time("LastModified", made.modified()).text("ETag", S3Objects.tag(made)));
    }

    /** The object that the request names as its source, under the conditions that it says. */
    static FileInfo source(S3Call call) {
        String header = call.header(SOURCE).orElse("");
        if (header.contains("?versionId=")) {
            throw new S3Failure(S3Code.NOT_OFFERED, "there are no versions: " + header);
        }
        // The bucket's slash may be encoded, too.
        String address = Percent.encoded(Percent.path(header));
        Place place = Place.of(call.place().root(), address);
        if (place.key().isEmpty() || place.isDirectory()) {
            throw new S3Failure(S3Code.INVALID_ARGUMENT, SOURCE + " is /BUCKET/KEY, not " + header);
        }
        S3Call of = new S3Call(call.call(), place, call.signed());
        FileInfo found;
        try {
            found = call.farm().stat(place.path());
        } catch (FarmException e) {
            throw S3Objects.absent(of, e);
        }
        if (!found.isRegularFile()) throw of.noSuchKey(null);
        requireConditions(call, found);
        return found;
    }

    private static void requireConditions(S3Call call, FileInfo found) {
        Optional<String> match = call.header(SOURCE + "-if-match");
        Optional<String> none = call.header(SOURCE + "-if-none-match");
        Optional<Instant> since =
                call.header(SOURCE + "-if-modified-since").flatMap(Conditions::date);
        Optional<Instant> until =
                call.header(SOURCE + "-if-unmodified-since").flatMap(Conditions::date);
        boolean wanted =
                match.map(tags -> S3Objects.isIn(tags, found)).orElse(true)
                        && none.map(tags -> !S3Objects.isIn(tags, found)).orElse(true)
                        && since.map(time -> found.modified().isAfter(time)).orElse(true)
                        && (match.isPresent()
                                || until.map(time -> !found.modified().isAfter(time.plusSeconds(1)))
                                        .orElse(true));
        if (!wanted) throw S3Objects.changed();
    }
}

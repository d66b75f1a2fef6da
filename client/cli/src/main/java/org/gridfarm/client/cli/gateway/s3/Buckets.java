package org.gridfarm.client.cli.gateway.s3;

import org.gridfarm.client.cli.gateway.http.Parameters;
import org.gridfarm.client.cli.gateway.http.Percent;
import org.gridfarm.client.cli.gateway.s3.auth.S3Code;
import org.gridfarm.client.cli.gateway.s3.auth.S3Failure;
import org.gridfarm.client.core.FileInfo;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Buckets: which there are, and what is in one. */
final class Buckets {
    private static final int KEYS_MAX = 1_000;

    private final Orders orders = new Orders(Runtime.getRuntime().maxMemory());

    void list(S3Call call) throws IOException {
        List<FileInfo> found;
        try (Stream<FileInfo> entries = call.farm().list(call.place().root())) {
            found =
                    entries.filter(FileInfo::isDirectory)
                            .filter(entry -> Place.isBucketName(entry.path().last().toString()))
                            .sorted(Comparator.comparing(entry -> entry.path().last()))
                            .toList();
        } catch (FarmException e) {
            if (e.kind() != ErrorKind.NOT_FOUND) throw e;
            found = List.of();
        }
        List<FileInfo> buckets = found;
        call.xml(
                200,
                Xml.document(
                        "ListAllMyBucketsResult",
                        xml -> {
                            owner(xml, call);
                            xml.element("Buckets", all -> buckets.forEach(one -> bucket(all, one)));
                        }));
    }

    private static void owner(Xml xml, S3Call call) {
        String account = call.signed().key().account();
        xml.element("Owner", owner -> owner.text("ID", account).text("DisplayName", account));
    }

    private static void bucket(Xml xml, FileInfo directory) {
        xml.element(
                "Bucket",
                bucket ->
                        bucket.text("Name", directory.path().last())
                                .time(
                                        "CreationDate",
                                        directory.created().orElse(directory.changed())));
    }

    void make(S3Call call) throws IOException {
        Headers _ = Headers.of(call.request()); // refuses what is not offered
        try {
            call.farm().mkdir(call.place().bucketPath());
        } catch (FarmException e) {
            if (e.kind() != ErrorKind.ALREADY_EXISTS) throw e;
            throw new S3Failure(
                    S3Code.BUCKET_ALREADY_EXISTS, "there is a " + call.place().bucket(), e);
        }
        call.answer().header("Location", "/" + call.place().bucket()).empty(200);
    }

    void delete(S3Call call) throws IOException {
        call.requireBucket();
        call.farm().delete(call.place().bucketPath());
        call.answer().empty(204);
    }

    void head(S3Call call) throws IOException {
        call.requireBucket();
        call.answer().empty(200);
    }

    void location(S3Call call) throws IOException {
        call.requireBucket();
        call.xml(200, Xml.document("LocationConstraint", _ -> {}));
    }

    void versioning(S3Call call) throws IOException {
        call.requireBucket();
        call.xml(200, Xml.document("VersioningConfiguration", _ -> {}));
    }

    // ---- objects

    void objects(S3Call call) throws IOException {
        call.requireBucket();
        Parameters asked = call.parameters();
        String prefix = asked.text("prefix").orElse("");
        Optional<String> delimiter = asked.text("delimiter");
        if (delimiter.isPresent() && !delimiter.get().equals("/")) {
            throw new S3Failure(S3Code.NOT_OFFERED, "the delimiter is / or none");
        }
        Optional<String> encoding = asked.text("encoding-type");
        if (encoding.isPresent() && !encoding.get().equals("url")) {
            throw new S3Failure(S3Code.INVALID_ARGUMENT, "encoding-type is url");
        }
        boolean second = asked.text("list-type").filter("2"::equals).isPresent();
        int limit = (int) asked.number("max-keys", 0, Integer.MAX_VALUE).orElse(KEYS_MAX);
        limit = Math.min(limit, KEYS_MAX);
        String after = second ? after(asked) : asked.text("marker").orElse("");
        Page page =
                limit == 0
                        ? new Page(List.of(), true)
                        : new ObjectWalk(call, orders, after, delimiter.isPresent(), limit)
                                .page(call.place(), prefix);
        int most = limit;
        call.xml(
                200,
                Xml.document(
                        "ListBucketResult",
                        xml -> {
                            Listed listed = new Listed(xml, encoding.isPresent());
                            xml.text("Name", call.place().bucket());
                            listed.name("Prefix", prefix);
                            delimiter.ifPresent(text -> listed.name("Delimiter", text));
                            encoding.ifPresent(text -> xml.text("EncodingType", text));
                            xml.text("MaxKeys", most).text("IsTruncated", !page.isWhole());
                            if (second) second(listed, asked, page);
                            else first(listed, asked, page, delimiter.isPresent());
                            boolean owned = !second || asked.flag("fetch-owner", false);
                            listed.items(page, owned ? call : null);
                        }));
    }

    private static String after(Parameters asked) {
        Optional<String> token = asked.text("continuation-token");
        if (token.isEmpty()) return asked.text("start-after").orElse("");
        try {
            return new String(Base64.getUrlDecoder().decode(token.get()), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new S3Failure(
                    S3Code.INVALID_ARGUMENT, "the continuation-token is none of this server", e);
        }
    }

    private static String last(Page page) {
        return page.items().getLast().key();
    }

    private static void second(Listed listed, Parameters asked, Page page) {
        listed.xml.text("KeyCount", page.items().size());
        asked.text("continuation-token")
                .ifPresent(token -> listed.xml.text("ContinuationToken", token));
        asked.text("start-after").ifPresent(key -> listed.name("StartAfter", key));
        if (!page.isWhole()) {
            byte[] key = last(page).getBytes(StandardCharsets.UTF_8);
            listed.xml.text(
                    "NextContinuationToken",
                    Base64.getUrlEncoder().withoutPadding().encodeToString(key));
        }
    }

    private static void first(Listed listed, Parameters asked, Page page, boolean isFlat) {
        listed.name("Marker", asked.text("marker").orElse(""));
        if (!page.isWhole() && isFlat) listed.name("NextMarker", last(page));
    }

    /** Names may be encoded as in addresses, for those whose XML holds less than a key may. */
    private record Listed(Xml xml, boolean isEncoded) {
        void name(String element, String name) {
            xml.text(element, isEncoded ? Percent.encoded(name) : name);
        }

        void items(Page page, @org.jspecify.annotations.Nullable S3Call owner) {
            for (Page.Item item : page.items()) {
                FileInfo file = item.file();
                if (file != null) object(item.key(), file, owner);
            }
            for (Page.Item item : page.items()) {
                if (item.file() == null) {
                    xml.element("CommonPrefixes", _ -> name("Prefix", item.key()));
                }
            }
        }

        private void object(
                String key, FileInfo file, @org.jspecify.annotations.Nullable S3Call owner) {
            xml.element(
                    "Contents",
                    _ -> {
                        name("Key", key);
                        xml.time("LastModified", file.modified())
                                .text("ETag", S3Objects.tag(file))
                                .text("Size", file.isDirectory() ? 0 : file.size())
                                .text("StorageClass", "STANDARD");
                        if (owner != null) owner(xml, owner);
                    });
        }
    }
}

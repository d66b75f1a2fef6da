package org.gridfarm.client.cli.gateway.s3;

import io.netty.handler.codec.http.HttpHeaderNames;

import org.gridfarm.client.cli.gateway.http.Answer;
import org.gridfarm.client.cli.gateway.http.Request;
import org.gridfarm.client.cli.gateway.s3.auth.S3Code;
import org.gridfarm.client.cli.gateway.s3.auth.S3Failure;
import org.gridfarm.client.core.FileInfo;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.name.FarmPath;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What a client says of an object besides its content, and is told again with it: type, encoding,
 * metadata of his own. In one extended attribute of the file, a line for each.
 */
record Headers(Map<String, String> values) {
    static final Headers NONE = new Headers(Map.of());

    private static final String ATTRIBUTE = "user.s3.headers";
    private static final String METADATA = "x-amz-meta-";
    private static final int METADATA_BYTES_MAX = 2 << 10;
    private static final Set<String> KEPT =
            Set.of(
                    "cache-control",
                    "content-disposition",
                    "content-encoding",
                    "content-language",
                    "content-type",
                    "expires");

    /** What asks for something that is not done here, and so is refused. */
    private static final List<String> REFUSED =
            List.of(
                    "x-amz-tagging",
                    "x-amz-server-side-encryption",
                    "x-amz-object-lock-",
                    "x-amz-website-redirect-location",
                    "x-amz-grant-",
                    "x-amz-write-offset-bytes");

    Headers {
        values = Map.copyOf(values);
    }

    /** Those of a request that makes an object. */
    static Headers of(Request request) {
        Map<String, String> found = new TreeMap<>();
        int bytes = 0;
        for (String name : request.head().headers().names()) {
            String lower = name.toLowerCase(Locale.ROOT);
            String value = request.header(name).orElse("");
            requireOffered(lower, value);
            if (lower.startsWith(METADATA)) {
                bytes += lower.length() - METADATA.length() + value.length();
                found.put(lower, value);
            } else if (KEPT.contains(lower)) {
                String kept = lower.equals("content-encoding") ? withoutPieces(value) : value;
                if (!kept.isEmpty()) found.put(lower, kept);
            }
        }
        if (bytes > METADATA_BYTES_MAX) {
            throw new S3Failure(
                    S3Code.METADATA_TOO_LARGE,
                    "metadata are at most " + METADATA_BYTES_MAX + " bytes");
        }
        return new Headers(found);
    }

    private static void requireOffered(String name, String value) {
        boolean acl =
                name.equals("x-amz-acl")
                        && !value.equals("private")
                        && !value.equals("bucket-owner-full-control");
        boolean storage = name.equals("x-amz-storage-class") && !value.equals("STANDARD");
        if (acl || storage || REFUSED.stream().anyMatch(name::startsWith)) {
            throw new S3Failure(S3Code.NOT_OFFERED, name + ": " + value + " is not offered");
        }
    }

    /** How the body came says nothing of the object. */
    private static String withoutPieces(String encodings) {
        return Arrays.stream(encodings.split(","))
                .map(String::strip)
                .filter(each -> !each.equals("aws-chunked") && !each.isEmpty())
                .collect(Collectors.joining(","));
    }

    void keep(Gridfarm farm, FarmPath file) {
        if (values.isEmpty()) return;
        String text =
                values.entrySet().stream()
                        .map(entry -> entry.getKey() + ": " + entry.getValue())
                        .sorted()
                        .collect(Collectors.joining("\n"));
        farm.setXattr(file, ATTRIBUTE, text.getBytes(StandardCharsets.UTF_8));
    }

    static Headers kept(Gridfarm farm, FileInfo file) {
        if (!file.attributes().getHasXattr()) return NONE;
        Map<String, String> found = new TreeMap<>();
        farm.getXattr(file.path(), ATTRIBUTE)
                .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                .ifPresent(text ->
                        text.lines()
                                .forEach(line -> {
                                    int colon = line.indexOf(": ");
                                    String name = colon < 0 ? "" : line.substring(0, colon);
                                    // Anybody who may write the file may have written it.
                                    if (KEPT.contains(name)
                                            || name.matches(METADATA + "[!-9;-~]+")) {
                                        found.put(name, plain(line.substring(colon + 2)));
                                    }
                                }));
        return new Headers(found);
    }

    private static String plain(String value) {
        return value.replaceAll("\\p{Cntrl}", "?");
    }

    void tell(Answer answer) {
        answer.header(HttpHeaderNames.CONTENT_TYPE, "binary/octet-stream");
        values.forEach(answer::header);
    }
}

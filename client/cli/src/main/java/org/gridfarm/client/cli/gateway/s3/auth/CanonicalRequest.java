package org.gridfarm.client.cli.gateway.s3.auth;

import org.gridfarm.client.cli.gateway.http.Percent;
import org.gridfarm.client.cli.gateway.http.Request;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A request in the one form that both sides sign ("Create a signed AWS API request", step 1, with
 * what S3 does otherwise: the path is encoded once and not normalised).
 */
final class CanonicalRequest {
    private static final String SIGNATURE = "X-Amz-Signature";

    private CanonicalRequest() {}

    static String of(Request request, List<String> signedHeaders, String payload) {
        return String.join(
                "\n",
                request.method(),
                Percent.encoded(Percent.path(request.path())),
                query(request.parameters().query()),
                signedHeaders.stream()
                        .map(name -> name + ":" + header(request, name) + "\n")
                        .collect(Collectors.joining()),
                String.join(";", signedHeaders),
                payload);
    }

    private static String query(String raw) {
        List<String> pairs = new ArrayList<>();
        for (String pair : raw.split("&")) {
            int equals = pair.indexOf('=');
            String name = Percent.query(equals < 0 ? pair : pair.substring(0, equals));
            String value = equals < 0 ? "" : Percent.query(pair.substring(equals + 1));
            if (!name.isEmpty() && !name.equals(SIGNATURE)) {
                pairs.add(word(name) + "=" + word(value));
            }
        }
        // '=' sorts behind some of what a name can go on with, so names are compared by themselves.
        pairs.sort(CanonicalRequest::compare);
        return String.join("&", pairs);
    }

    private static int compare(String one, String other) {
        String[] ones = one.split("=", 2);
        String[] others = other.split("=", 2);
        int names = ones[0].compareTo(others[0]);
        return names != 0 ? names : ones[1].compareTo(others[1]);
    }

    private static String word(String text) {
        return Percent.encoded(text).replace("/", "%2F");
    }

    private static String header(Request request, String name) {
        return request.head().headers().getAll(name).stream()
                .map(value -> value.strip().replaceAll(" +", " "))
                .collect(Collectors.joining(","));
    }
}

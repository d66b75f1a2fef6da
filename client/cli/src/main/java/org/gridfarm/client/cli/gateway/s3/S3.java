package org.gridfarm.client.cli.gateway.s3;

import org.gridfarm.client.cli.gateway.call.Call;
import org.gridfarm.client.cli.gateway.content.Transfers;
import org.gridfarm.client.cli.gateway.s3.auth.S3Code;
import org.gridfarm.client.cli.gateway.s3.auth.S3Failure;
import org.gridfarm.client.cli.gateway.s3.auth.Signed;
import org.gridfarm.client.cli.gateway.s3.auth.SignedBody;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** The requests of S3, each led to where it is answered. Thread-safe. */
public final class S3 {
    private static final int DELETED_MAX = 1_000;
    private static final int DELETED_AT_ONCE = 16;

    /** What of a bucket or an object is asked for by a parameter, and is not here. */
    private static final Set<String> NOT_OFFERED =
            Set.of(
                    "accelerate",
                    "acl",
                    "analytics",
                    "attributes",
                    "cors",
                    "encryption",
                    "intelligent-tiering",
                    "inventory",
                    "legal-hold",
                    "lifecycle",
                    "logging",
                    "metrics",
                    "notification",
                    "object-lock",
                    "ownershipcontrols",
                    "policy",
                    "policystatus",
                    "publicaccessblock",
                    "renameobject",
                    "replication",
                    "requestpayment",
                    "restore",
                    "retention",
                    "select",
                    "session",
                    "tagging",
                    "torrent",
                    "versionid",
                    "versions",
                    "website");

    private final FarmPath root;
    private final Buckets buckets = new Buckets();
    private final S3Objects objects;
    private final Copies copies;
    private final Multipart multipart;

    /**
     * @param root whose directories are the buckets
     */
    public S3(FarmPath root, Transfers transfers) {
        this.root = root;
        objects = new S3Objects(transfers);
        copies = new Copies(transfers);
        multipart = new Multipart(transfers);
    }

    public void answer(Call asked, Signed signed) throws IOException {
        Place place = Place.of(root, asked.request().path());
        S3Call call = new S3Call(asked, place, signed);
        for (String name : NOT_OFFERED) {
            if (call.parameters().has(name)) {
                throw new S3Failure(S3Code.NOT_OFFERED, name + " is not offered");
            }
        }
        if (place.bucket().isEmpty()) service(call);
        else if (place.key().isEmpty()) bucket(call);
        else object(call);
    }

    private void service(S3Call call) throws IOException {
        if (!call.request().method().equals("GET")) throw notAllowed(call);
        buckets.list(call);
    }

    private void bucket(S3Call call) throws IOException {
        switch (call.request().method()) {
            case "GET" -> {
                if (call.parameters().has("location")) buckets.location(call);
                else if (call.parameters().has("versioning")) buckets.versioning(call);
                else if (call.parameters().has("uploads")) {
                    throw new S3Failure(
                            S3Code.NOT_OFFERED, "uploads under way are not listed (gf find)");
                } else buckets.objects(call);
            }
            case "HEAD" -> buckets.head(call);
            case "PUT" -> {
                if (call.parameters().has("versioning")) {
                    throw new S3Failure(S3Code.NOT_OFFERED, "there are no versions");
                }
                buckets.make(call);
            }
            case "DELETE" -> buckets.delete(call);
            case "POST" -> {
                if (call.parameters().has("delete")) deleteMany(call);
                else throw new S3Failure(S3Code.NOT_OFFERED, "forms of browsers are not taken");
            }
            default -> throw notAllowed(call);
        }
    }

    private void object(S3Call call) throws IOException {
        boolean isPart = call.parameters().has("uploadid");
        boolean isCopy = call.header(Copies.SOURCE).isPresent();
        switch (call.request().method()) {
            case "GET" -> {
                if (isPart) multipart.list(call);
                else readWhole(call);
            }
            case "HEAD" -> readWhole(call);
            case "PUT" -> {
                if (isPart && isCopy) multipart.copy(call);
                else if (isPart) multipart.put(call);
                else if (isCopy) copies.copy(call);
                else objects.put(call);
            }
            case "DELETE" -> {
                if (isPart) multipart.abort(call);
                else objects.delete(call);
            }
            case "POST" -> {
                if (isPart) multipart.complete(call);
                else if (call.parameters().has("uploads")) multipart.begin(call);
                else throw notAllowed(call);
            }
            default -> throw notAllowed(call);
        }
    }

    private void readWhole(S3Call call) throws IOException {
        if (call.parameters().has("partnumber")) {
            throw new S3Failure(
                    S3Code.NOT_OFFERED, "an object has no parts any more: ask for a range");
        }
        objects.read(call);
    }

    private static S3Failure notAllowed(S3Call call) {
        return new S3Failure(
                S3Code.METHOD_NOT_ALLOWED, call.request().method() + " is not for that");
    }

    // ---- many at once

    private record Outcome(String key, Optional<S3Failure> failure) {}

    private static void deleteMany(S3Call call) throws IOException {
        call.requireBucket();
        Wishes asked;
        try (SignedBody body = SignedBody.document(call.request(), call.signed())) {
            asked = Wishes.read(body, "Delete", "Object", DELETED_MAX);
        }
        boolean isQuiet = "true".equals(asked.words().get("Quiet"));
        asked.each().forEach(one -> Wishes.required(one, "Key"));
        List<Outcome> outcomes = deleted(call, asked.each());
        call.xml(
                200,
                Xml.document(
                        "DeleteResult",
                        xml -> {
                            for (Outcome outcome : outcomes) {
                                tell(xml, outcome, isQuiet);
                            }
                        }));
    }

    /** Some at once: the metaserver makes one commit of what comes together. */
    private static List<Outcome> deleted(S3Call call, List<Map<String, String>> each) {
        Outcome[] outcomes = new Outcome[each.size()];
        AtomicInteger next = new AtomicInteger();
        Runnable lane =
                () -> {
                    for (int i = next.getAndIncrement();
                            i < outcomes.length;
                            i = next.getAndIncrement()) {
                        outcomes[i] = deleted(call, each.get(i));
                    }
                };
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> lanes = new ArrayList<>();
            for (int i = 0; i < DELETED_AT_ONCE; i++) lanes.add(threads.submit(lane));
            for (Future<?> one : lanes) await(one);
        }
        return List.of(outcomes);
    }

    private static void await(Future<?> lane) {
        try {
            lane.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FarmException(ErrorKind.INTERRUPTED, "delete", "");
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    private static Outcome deleted(S3Call call, Map<String, String> one) {
        String key = Wishes.required(one, "Key");
        try {
            if (one.containsKey("VersionId") || one.containsKey("ETag")) {
                throw new S3Failure(
                        S3Code.NOT_OFFERED, "objects are removed by their keys, whatever they are");
            }
            S3Objects.remove(call, call.place().other(key));
            return new Outcome(key, Optional.empty());
        } catch (S3Failure | FarmException e) {
            return new Outcome(key, Optional.of(LongWork.failure(e)));
        }
    }

    private static void tell(Xml xml, Outcome outcome, boolean isQuiet) {
        if (outcome.failure().isPresent()) {
            S3Failure failure = outcome.failure().get();
            xml.element(
                    "Error",
                    error ->
                            error.text("Key", outcome.key())
                                    .text("Code", failure.code().text())
                                    .text("Message", failure.getMessage()));
        } else if (!isQuiet) {
            xml.element("Deleted", deleted -> deleted.text("Key", outcome.key()));
        }
    }
}

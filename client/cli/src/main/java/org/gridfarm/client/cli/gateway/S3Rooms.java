package org.gridfarm.client.cli.gateway;

import io.netty.handler.codec.http.HttpHeaderNames;

import org.gridfarm.client.cli.gateway.call.Call;
import org.gridfarm.client.cli.gateway.call.Failure;
import org.gridfarm.client.cli.gateway.call.Visitor;
import org.gridfarm.client.cli.gateway.http.Answer;
import org.gridfarm.client.cli.gateway.http.Handler;
import org.gridfarm.client.cli.gateway.http.Request;
import org.gridfarm.client.cli.gateway.s3.Codes;
import org.gridfarm.client.cli.gateway.s3.S3;
import org.gridfarm.client.cli.gateway.s3.Xml;
import org.gridfarm.client.cli.gateway.s3.auth.AccessKeys;
import org.gridfarm.client.cli.gateway.s3.auth.S3Code;
import org.gridfarm.client.cli.gateway.s3.auth.S3Failure;
import org.gridfarm.client.cli.gateway.s3.auth.Signature;
import org.gridfarm.client.cli.gateway.s3.auth.Signed;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/** Lets in who has signed his request, as the account of his key, and tells failures. */
final class S3Rooms implements Handler {
    private static final int ID_BYTES = 8;
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Logger AUDIT = LoggerFactory.getLogger("org.gridfarm.audit");
    private static final Logger log = LoggerFactory.getLogger(S3Rooms.class);

    private final AccessKeys keys;
    private final boolean role;
    private final Farms farms;
    private final S3 s3;
    private final BiConsumer<Request, Answer> counted;

    /**
     * @param role to act as others; otherwise only keys of who runs the gateway are taken
     */
    S3Rooms(
            AccessKeys keys,
            boolean role,
            Farms farms,
            S3 s3,
            BiConsumer<Request, Answer> counted) {
        this.keys = keys;
        this.role = role;
        this.farms = farms;
        this.s3 = s3;
        this.counted = counted;
    }

    @Override
    public void answer(Request request, Answer answer) throws IOException {
        byte[] random = new byte[ID_BYTES];
        RANDOM.nextBytes(random);
        String id = HexFormat.of().withUpperCase().formatHex(random);
        answer.header("x-amz-request-id", id)
                // What users have stored is never a page of this site.
                .header("X-Content-Type-Options", "nosniff")
                .header("Content-Security-Policy", "default-src 'none'; sandbox");
        try {
            enter(request, answer);
        } catch (S3Failure e) {
            tell(request, answer, e, id);
        } catch (FarmException e) {
            tell(request, answer, failure(e), id);
        } catch (IOException e) {
            Optional<FarmException> ofFarm = Failure.in(e);
            if (ofFarm.isEmpty()) throw e;
            tell(request, answer, failure(ofFarm.get()), id);
        } finally {
            counted.accept(request, answer);
        }
    }

    private static S3Failure failure(FarmException e) {
        S3Code code = Codes.of(e.kind());
        if (code == S3Code.INTERNAL_ERROR) log.error("a request failed", e);
        return new S3Failure(code, String.valueOf(e.getMessage()), e);
    }

    private void enter(Request request, Answer answer) throws IOException {
        Signed signed = Signature.verify(request, keys::find, Instant.now());
        String account = signed.key().account();
        try (Farms.Lease lease = farms.of(role ? account : "")) {
            if (!lease.farm().user().equals(account)) {
                throw new S3Failure(
                        S3Code.ACCESS_DENIED,
                        "this endpoint acts as "
                                + lease.farm().user()
                                + " alone, not as "
                                + account);
            }
            Call call =
                    new Call(
                            new Visitor(signed.key().id(), account, List.of(account)),
                            lease.farm(),
                            FarmPath.ROOT,
                            request,
                            answer);
            try {
                s3.answer(call, signed);
            } catch (FarmException e) {
                lease.failed(e.kind());
                throw e;
            } catch (IOException e) {
                Failure.in(e).ifPresent(failure -> lease.failed(failure.kind()));
                throw e;
            }
        }
    }

    private static void tell(Request request, Answer answer, S3Failure failure, String id)
            throws IOException {
        // What the farm refuses somebody who was let in is no news.
        boolean stranger = failure.getCause() == null && failure.code().status() == 403;
        if (stranger) {
            AUDIT.info(
                    "result=refused code={} from={} what=\"s3 {}\" why=\"{}\"",
                    failure.code().text(),
                    request.from(),
                    plain(request.method()),
                    plain(failure.getMessage()));
        }
        // The client has been told that all is well: that the rest is missing says the connection.
        if (answer.isBegun()) throw new IOException(failure);
        int status = failure.code().status();
        if (failure.code() == S3Code.SERVICE_UNAVAILABLE) {
            answer.header(HttpHeaderNames.RETRY_AFTER, Failure.RETRY_SECONDS);
        }
        answer.header(HttpHeaderNames.CONTENT_TYPE, Xml.TYPE);
        answer.whole(
                status,
                Xml.error(failure.code(), failure.getMessage(), request.path(), id).bytes());
    }

    /** What others chose ends no line and no quotes. */
    private static String plain(String text) {
        return text.replaceAll("[\\p{Cntrl}\"\\\\]", "?");
    }
}

package org.gridfarm.client.cli.gateway;

import io.netty.handler.codec.http.HttpHeaderNames;

import org.gridfarm.client.cli.gateway.call.Call;
import org.gridfarm.client.cli.gateway.call.Failure;
import org.gridfarm.client.cli.gateway.call.ShownToken;
import org.gridfarm.client.cli.gateway.call.Visitor;
import org.gridfarm.client.cli.gateway.files.PlainFiles;
import org.gridfarm.client.cli.gateway.http.Answer;
import org.gridfarm.client.cli.gateway.http.Handler;
import org.gridfarm.client.cli.gateway.http.Percent;
import org.gridfarm.client.cli.gateway.http.Request;
import org.gridfarm.client.cli.gateway.webhdfs.WebHdfs;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/** Leads each request to where it is answered, once it is known who asks, and tells failures. */
final class Rooms implements Handler {
    private static final String WEBHDFS = "/webhdfs/v1";
    private static final String FILES = "/fs";
    private static final String HEALTH = "/healthz";
    private static final int UNAUTHORIZED = 401;
    private static final Set<String> READING = Set.of("GET", "HEAD");

    /** Somebody, and the farm as he sees it; to be closed. */
    private record Entered(Visitor visitor, Farms.Lease lease) {}

    private static final Logger AUDIT = LoggerFactory.getLogger("org.gridfarm.audit");

    private final Door door;
    private final Farms farms;
    private final WebHdfs webHdfs;
    private final PlainFiles files;
    private final FarmReach reach;
    private final BiConsumer<Request, Answer> counted;

    Rooms(
            Door door,
            Farms farms,
            WebHdfs webHdfs,
            PlainFiles files,
            FarmReach reach,
            BiConsumer<Request, Answer> counted) {
        this.door = door;
        this.farms = farms;
        this.webHdfs = webHdfs;
        this.files = files;
        this.reach = reach;
        this.counted = counted;
    }

    @Override
    public void answer(Request request, Answer answer) throws IOException {
        // What users have stored is never a page of this site, whatever a browser thinks of it.
        answer.header("X-Content-Type-Options", "nosniff")
                .header("Content-Security-Policy", "default-src 'none'; sandbox")
                .header(HttpHeaderNames.CACHE_CONTROL, "no-cache, private");
        boolean hadoop = isBelow(request.path(), WEBHDFS);
        try {
            if (hadoop) {
                enter(request, answer, WEBHDFS);
            } else if (isBelow(request.path(), FILES)) {
                enter(request, answer, FILES);
            } else if (request.path().equals(HEALTH)) {
                health(request, answer);
            } else {
                answer.text(404, "there are " + FILES + "/..., " + WEBHDFS + "/... and " + HEALTH);
            }
        } catch (FarmException e) {
            tell(request, answer, e, hadoop);
        } catch (IOException e) {
            Optional<FarmException> ofFarm = Failure.in(e);
            if (ofFarm.isEmpty()) throw e;
            tell(request, answer, ofFarm.get(), hadoop);
        } finally {
            counted.accept(request, answer);
        }
    }

    private static boolean isBelow(String path, String root) {
        return path.equals(root) || path.startsWith(root + "/");
    }

    private void health(Request request, Answer answer) throws IOException {
        if (!READING.contains(request.method())) {
            answer.header(HttpHeaderNames.ALLOW, "GET, HEAD").text(405, "GET and HEAD");
            return;
        }
        Optional<String> problem = reach.problem();
        answer.text(problem.isEmpty() ? 200 : 503, problem.orElse("ok"));
    }

    private void enter(Request request, Answer answer, String root) throws IOException {
        FarmPath path = Call.path(Percent.path(request.path().substring(root.length())));
        Entered entered = entered(request, door.visitor(request));
        Visitor visitor = entered.visitor;
        try (Farms.Lease lease = entered.lease) {
            Call call = new Call(visitor, lease.farm(), path, request, answer);
            try {
                if (root.equals(FILES)) files.answer(call);
                else webHdfs.answer(call);
            } catch (FarmException e) {
                lease.failed(e.kind());
                throw e;
            } catch (IOException e) {
                Failure.in(e).ifPresent(failure -> lease.failed(failure.kind()));
                throw e;
            }
        }
    }

    private Entered entered(Request request, Visitor came) {
        return came.token()
                .map(token -> entered(request, came, token))
                .orElseGet(() -> new Entered(came, farms.of(came.account())));
    }

    /** What accounts there are to choose from says the session of the usual one. */
    private Entered entered(Request request, Visitor came, ShownToken token) {
        Visitor visitor;
        boolean usual;
        try (Farms.Lease first = farms.of(token, "")) {
            String user = first.farm().user();
            visitor = Door.asked(request, came.known(user, first.farm().accounts()));
            usual = visitor.account().equals(user);
        }
        return new Entered(visitor, farms.of(token, usual ? "" : visitor.account()));
    }

    private void tell(Request request, Answer answer, FarmException failure, boolean hadoop)
            throws IOException {
        Failure told = Failure.of(failure.kind());
        if (told.status() == UNAUTHORIZED || failure.operation().equals("enter")) {
            AUDIT.info(
                    "result=refused who=\"{}\" from={} what=\"gateway {}\" why=\"{}\"",
                    plain(failure.subject()),
                    request.from(),
                    plain(request.method()),
                    plain(failure.detail()));
        }
        // The client has been told that all is well: that the rest is missing says the connection.
        if (answer.isBegun()) throw new IOException(failure);
        answer.header(Failure.HEADER, Failure.named(failure.kind()));
        if (told.status() == UNAUTHORIZED) challenge(request, answer);
        String message = String.valueOf(failure.getMessage());
        if (told.isPassing()) {
            answer.header(HttpHeaderNames.RETRY_AFTER, Failure.RETRY_SECONDS);
            message += isOfServers(failure.kind()) ? " (metaservers: " + metaservers() + ")" : "";
        }
        if (hadoop) {
            WebHdfs.tell(answer, told, message);
        } else {
            answer.text(told.status(), message.replace("\n", "\\n"));
        }
    }

    /** By what one comes in. The connection ends, so that a guess costs a handshake. */
    private static void challenge(Request request, Answer answer) {
        boolean shown = request.head().headers().contains(HttpHeaderNames.AUTHORIZATION);
        answer.endsConnection();
        answer.header(
                HttpHeaderNames.WWW_AUTHENTICATE,
                shown ? "Bearer error=\"invalid_token\"" : "Bearer");
    }

    private static boolean isOfServers(ErrorKind kind) {
        return switch (kind) {
            case TIMED_OUT, DISCONNECTED, UNAVAILABLE, NOT_LEADER, NOT_READY -> true;
            default -> false;
        };
    }

    private String metaservers() {
        return farms.metaservers().stream().map(String::valueOf).collect(Collectors.joining(", "));
    }

    /** What others chose ends no line and no quotes. */
    private static String plain(String text) {
        return text.replaceAll("[\\p{Cntrl}\"\\\\]", "?");
    }
}

package org.gridfarm.client.cli.gateway.s3;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaderNames;

import org.gridfarm.client.cli.gateway.call.Failure;
import org.gridfarm.client.cli.gateway.http.Answer;
import org.gridfarm.client.cli.gateway.s3.auth.S3Code;
import org.gridfarm.client.cli.gateway.s3.auth.S3Failure;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Work that may take longer than a client waits for the first byte. As S3 does, the answer begins
 * after a while and goes on with blanks; how the work ended then says the document alone.
 */
final class LongWork {
    private static final Duration QUIET = Duration.ofSeconds(5);
    private static final String DECLARATION = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";

    private final S3Call call;
    private boolean begun;

    LongWork(S3Call call) {
        this.call = call;
    }

    interface Work {
        Xml done() throws IOException;
    }

    void answer(Work work) throws IOException {
        CompletableFuture<Xml> done = new CompletableFuture<>();
        Thread _ =
                Thread.ofVirtual()
                        .start(() -> {
                            try {
                                done.complete(work.done());
                            } catch (IOException | RuntimeException | Error e) {
                                done.completeExceptionally(e);
                            }
                        });
        Xml document;
        try {
            document = awaited(done);
        } finally {
            // What was begun is done also for a client that has gone, while his session is held.
            int _ = done.handle((made, thrown) -> 0).join();
        }
        tell(document);
    }

    private Xml awaited(CompletableFuture<Xml> done) throws IOException {
        while (true) {
            try {
                return done.get(QUIET.toSeconds(), TimeUnit.SECONDS);
            } catch (TimeoutException e) {
                goOn();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("the gateway ends");
            } catch (ExecutionException e) {
                Throwable cause = e.getCause();
                return failed(cause == null ? e : cause);
            }
        }
    }

    private void goOn() throws IOException {
        Answer answer = call.answer();
        if (!begun) {
            begun = true;
            answer.header(HttpHeaderNames.CONTENT_TYPE, Xml.TYPE);
            answer.begin(200, Answer.UNKNOWN);
            answer.piece(Unpooled.copiedBuffer(DECLARATION, StandardCharsets.US_ASCII));
        }
        answer.piece(Unpooled.copiedBuffer(" \n", StandardCharsets.US_ASCII));
    }

    private Xml failed(Throwable thrown) throws IOException {
        if (begun) {
            S3Failure failure = failure(thrown);
            return Xml.error(failure.code(), failure.getMessage(), call.request().path(), "");
        }
        if (thrown instanceof IOException io) throw io;
        if (thrown instanceof RuntimeException failure) throw failure;
        throw new IllegalStateException(thrown);
    }

    /** In the words of S3, whatever it was. */
    static S3Failure failure(Throwable thrown) {
        if (thrown instanceof S3Failure failure) return failure;
        Optional<FarmException> ofFarm =
                thrown instanceof FarmException farm
                        ? Optional.of(farm)
                        : thrown instanceof IOException io ? Failure.in(io) : Optional.empty();
        return ofFarm.map(e -> new S3Failure(Codes.of(e.kind()), String.valueOf(e.getMessage()), e))
                .orElseGet(() ->
                        new S3Failure(
                                S3Code.INTERNAL_ERROR,
                                "a defect of the gateway: " + thrown.getClass().getSimpleName(),
                                thrown));
    }

    private void tell(Xml document) throws IOException {
        if (!begun) {
            call.xml(200, document);
            return;
        }
        String text = document.toString();
        String rest = text.substring(text.indexOf("?>") + 2);
        call.answer().piece(Unpooled.copiedBuffer(rest, StandardCharsets.UTF_8));
        call.answer().end();
    }
}

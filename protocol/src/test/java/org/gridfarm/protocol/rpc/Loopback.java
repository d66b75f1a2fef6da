package org.gridfarm.protocol.rpc;

import com.google.protobuf.BytesValue;
import com.google.protobuf.StringValue;

import io.netty.buffer.ByteBuf;
import io.netty.channel.DefaultFileRegion;

import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.File;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A server on a free loopback port and what tests ask of it. */
final class Loopback implements AutoCloseable {
    static final Method<StringValue, StringValue> ECHO = method(1, "echo");
    static final Method<StringValue, StringValue> BYTES = method(2, "bytes").withBulk();
    static final Method<StringValue, StringValue> NEVER = method(3, "never");
    static final Method<StringValue, StringValue> REFUSE = method(4, "refuse");
    static final Method<StringValue, StringValue> BREAK = method(5, "break");
    static final Method<StringValue, StringValue> CALL_ME = method(6, "call-me");
    static final Method<StringValue, StringValue> FILE = method(7, "file");
    static final Method<StringValue, StringValue> UNSERVED = method(900, "unserved");
    static final Method<BytesValue, BytesValue> LARGE =
            new Method<>(
                            8,
                            "large",
                            BytesValue.parser(),
                            BytesValue.parser(),
                            Retry.IDEMPOTENT,
                            Access.of(Role.USER, Role.METASERVER))
                    .withBulk();
    static final Identity ALICE =
            new Identity("/CN=Alice", Role.USER, List.of("alice"), Optional.empty(), false);
    static final Duration PATIENCE = Duration.ofSeconds(20);

    final Loops loops;
    final RpcServer server;

    private Loopback(Loops loops, RpcServer server) {
        this.loops = loops;
        this.server = server;
    }

    static Loopback serving(Services services) {
        return serving(Loops.start("test"), services, KeepAlive.DEFAULT);
    }

    static Loopback serving(Loops loops, Services services, KeepAlive keepAlive) {
        return new Loopback(loops, RpcServer.bind(loops, plain(services).withKeepAlive(keepAlive)));
    }

    static RpcServerConfig plain(Services services) {
        return new RpcServerConfig(
                new HostPort("127.0.0.1", 0),
                "test server",
                ChannelSecurity.insecureForTests(ALICE),
                services);
    }

    static Method<StringValue, StringValue> method(int number, String name) {
        return new Method<>(
                number,
                name,
                StringValue.parser(),
                StringValue.parser(),
                Retry.IDEMPOTENT,
                Access.of(Role.USER, Role.METASERVER));
    }

    RpcClient client(Services pushes, KeepAlive keepAlive) {
        return new RpcClient(
                loops,
                ChannelSecurity.insecureForTests(ALICE),
                ExpectedServer.metaserver(),
                pushes,
                keepAlive,
                RpcObserver.NONE);
    }

    Peer dial() {
        return dial(Services.none());
    }

    Peer dial(Services pushes) {
        return get(client(pushes, KeepAlive.DEFAULT).dial(server.address()));
    }

    static StringValue text(String text) {
        return StringValue.of(text);
    }

    /**
     * What a well-behaved server answers: echo, a payload's bytes returned, silence, a refusal, a
     * defect, a file's bytes.
     */
    static Services everything() {
        return Services.builder()
                .answer(ECHO, request -> request)
                .on(LARGE, x -> x.reply(x.request()))
                .on(BYTES, x -> x.reply(x.request(), x.payload().retainedDuplicate()))
                .on(NEVER, x -> {})
                .on(REFUSE, x -> x.fail(new FarmException(kind(x), "open", "/a/b", "because")))
                .on(
                        BREAK,
                        x -> {
                            throw new IllegalStateException("a defect");
                        })
                .on(FILE, Loopback::sendFile)
                .onAsync(CALL_ME, Loopback::callBack)
                .build();
    }

    static void sendFile(Exchange<StringValue, StringValue> x) {
        File file = new File(x.request().getValue());
        x.reply(text("here"), new DefaultFileRegion(file, 0, file.length()));
    }

    static CompletableFuture<StringValue> callBack(Exchange<StringValue, StringValue> x) {
        return x.peer().callPlain(ECHO, text(x.request().getValue() + "!"), PATIENCE);
    }

    private static ErrorKind kind(Exchange<StringValue, ?> exchange) {
        return ErrorKind.valueOf(exchange.request().getValue());
    }

    static <T> T get(CompletableFuture<T> future) {
        try {
            return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof FarmException failure) throw failure;
            throw new AssertionError(e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    static FarmException failure(CompletableFuture<?> future) {
        try {
            Object value = get(future);
            throw new AssertionError("no failure but " + value);
        } catch (FarmException e) {
            return e;
        }
    }

    static byte[] take(ByteBuf payload) {
        byte[] bytes = new byte[payload.readableBytes()];
        payload.readBytes(bytes).release();
        return bytes;
    }

    @Override
    public void close() {
        server.close();
        loops.close();
    }
}

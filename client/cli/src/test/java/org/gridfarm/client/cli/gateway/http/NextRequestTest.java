package org.gridfarm.client.cli.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.flow.FlowControlHandler;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A connection whose requests come faster than they are answered. */
@Timeout(30)
class NextRequestTest {
    private static final String REQUEST = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n";

    private final List<Thread> works = new ArrayList<>();
    private final CountDownLatch mayAnswer = new CountDownLatch(1);

    private void answer(Request request, Answer answer) throws InterruptedIOException {
        try {
            assertThat(request.body().readAllBytes()).isEmpty();
            mayAnswer.await();
            answer.text(200, "done");
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
    }

    /** Its reader waits for what comes before the connection goes on. */
    private void begin(Runnable work) {
        Thread thread = Thread.ofPlatform().start(work);
        works.add(thread);
        await().until(() -> thread.getState() != Thread.State.RUNNABLE);
    }

    private EmbeddedChannel channel() {
        EmbeddedChannel channel =
                new EmbeddedChannel() {
                    @Override
                    protected SocketAddress remoteAddress0() {
                        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
                    }
                };
        channel.config().setAutoRead(false);
        channel.pipeline()
                .addLast(new HttpServerCodec())
                .addLast(new FlowControlHandler())
                .addLast(new HttpConnection(this::answer, this::begin));
        channel.pipeline().fireChannelActive();
        return channel;
    }

    /**
     * A reader asks for more while the end of the body is on its way. Two requests at work would
     * write their answers into one another, and the client would find the connection closed.
     */
    @Test
    void aRequestIsNotBegunBeforeTheOneBeforeIsAnswered() throws Exception {
        EmbeddedChannel channel = channel();
        channel.writeInbound(Unpooled.copiedBuffer(REQUEST + REQUEST, StandardCharsets.US_ASCII));
        channel.runPendingTasks();
        assertThat(works).hasSize(1);
        mayAnswer.countDown();
        for (int i = 0; i < 2; i++) {
            works.get(i).join();
            channel.runPendingTasks();
        }
        StringBuilder told = new StringBuilder();
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
            told.append(out.toString(StandardCharsets.US_ASCII));
            out.release();
        }
        assertThat(told.toString().split("200 OK", -1)).hasSize(3);
        assertThat(channel.isActive()).isTrue();
        channel.close();
    }
}

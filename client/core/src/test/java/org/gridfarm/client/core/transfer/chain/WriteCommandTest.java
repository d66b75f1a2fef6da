package org.gridfarm.client.core.transfer.chain;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.concurrent.CompletableFuture.completedFuture;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.gridfarm.client.core.transfer.known.Chain;
import org.gridfarm.protocol.rpc.Answer;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.AppendSeen;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.ReadObjectReply;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.StatObjectRequest;
import org.gridfarm.protocol.wire.WriteObjectRequest;
import org.junit.jupiter.api.Test;

import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** An append whose answer was lost with the head that it was sent to. */
class WriteCommandTest {
    private static final Duration DEADLINE = Duration.ofSeconds(10);
    private static final long SIZE_SEEN = 100;

    private final List<WriteObjectRequest> written = new ArrayList<>();
    private final WriteCommand append = WriteCommand.append(bytes("line"), SIZE_SEEN, 7);

    private static ByteBuf bytes(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }

    private static Chain chain(String... nodes) {
        return new Chain(
                ObjectId.getDefaultInstance(),
                Stream.of(nodes).map(node -> Replica.newBuilder().setNode(node).build()).toList(),
                false,
                1,
                1);
    }

    /** The head of a chain, with what it has behind {@link #SIZE_SEEN}. */
    private Peer head(String behind) {
        return head(behind, AppendSeen.APPEND_NOT_KNOWN, 0);
    }

    /**
     * @param seen what it says of the append
     */
    private Peer head(String behind, AppendSeen seen, long place) {
        return (Peer)
                Proxy.newProxyInstance(
                        Peer.class.getClassLoader(),
                        new Class<?>[] {Peer.class},
                        (self, method, arguments) -> {
                            if (arguments == null || arguments.length < 2) {
                                return method.getName().equals("toString") ? "head" : null;
                            }
                            if (arguments[1] instanceof StatObjectRequest) {
                                return completedFuture(
                                        ChainOutcome.newBuilder()
                                                .setSize(SIZE_SEEN + behind.length())
                                                .setAppendSeen(seen)
                                                .setOffset(place)
                                                .build());
                            }
                            if (arguments[1] instanceof WriteObjectRequest write) {
                                written.add(write);
                                ((ByteBuf) arguments[2]).release();
                                return completedFuture(
                                        new Answer<>(ChainOutcome.getDefaultInstance(), bytes("")));
                            }
                            return completedFuture(
                                    new Answer<>(
                                            ReadObjectReply.getDefaultInstance(), bytes(behind)));
                        });
    }

    private void sendTo(Peer head, Chain chain) {
        append.send(head, chain, DEADLINE).join();
    }

    @Test
    void isSentToItsPlaceWhereTheHeadHasItAndOthersMayNot() {
        sendTo(head(""), chain("n1", "n2", "n3"));
        Peer next = head("xx" + "line");
        Chain left = chain("n2", "n3");
        assertThat(append.doneBefore(next, left, DEADLINE).join()).isNull();
        sendTo(next, left);
        assertThat(written.get(0).getAppend()).isTrue();
        assertThat(written.get(1).getAppend()).isFalse();
        assertThat(written.get(1).getOffset()).isEqualTo(SIZE_SEEN + 2);
        assertThat(written.get(1).getAppendId()).isEqualTo(7);
    }

    @Test
    void isDoneWhereTheHeadHasItAndIsAlone() {
        sendTo(head(""), chain("n1", "n2"));
        ChainOutcome found = append.doneBefore(head("line"), chain("n2"), DEADLINE).join();
        assertThat(found).isNotNull();
        assertThat(found.getOffset()).isEqualTo(SIZE_SEEN);
    }

    @Test
    void isSentToThePlaceThatTheHeadKnowsItBy() {
        sendTo(head(""), chain("n1", "n2", "n3"));
        Peer next = head("line" + "line", AppendSeen.APPEND_DONE, SIZE_SEEN + 4);
        assertThat(append.doneBefore(next, chain("n2", "n3"), DEADLINE).join()).isNull();
        sendTo(next, chain("n2", "n3"));
        assertThat(written.get(1).getAppend()).isFalse();
        assertThat(written.get(1).getOffset()).isEqualTo(SIZE_SEEN + 4);
    }

    @Test
    void isAppendedWhereTheHeadKnowsThatItWasNotDoneThoughAnothersAreTheSameBytes() {
        sendTo(head(""), chain("n1", "n2"));
        Peer next = head("line", AppendSeen.APPEND_NOT_DONE, 0);
        assertThat(append.doneBefore(next, chain("n2"), DEADLINE).join()).isNull();
        sendTo(next, chain("n2"));
        assertThat(written.get(1).getAppend()).isTrue();
    }

    @Test
    void isAppendedWhereTheHeadDoesNotHaveIt() {
        sendTo(head(""), chain("n1", "n2", "n3"));
        Peer second = head("line");
        assertThat(append.doneBefore(second, chain("n2", "n3"), DEADLINE).join()).isNull();
        sendTo(second, chain("n2", "n3"));
        Peer third = head("else");
        assertThat(append.doneBefore(third, chain("n3"), DEADLINE).join()).isNull();
        sendTo(third, chain("n3"));
        assertThat(written.get(2).getAppend()).isTrue();
    }
}

package org.gridfarm.client.core;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.checksum.Blocks;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NodeName;
import org.gridfarm.protocol.rpc.ChannelSecurity;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.rpc.ExpectedServer;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.Loops;
import org.gridfarm.protocol.rpc.RpcClient;
import org.gridfarm.protocol.rpc.RpcServer;
import org.gridfarm.protocol.rpc.RpcServerConfig;
import org.gridfarm.protocol.rpc.Services;
import org.gridfarm.protocol.wire.*;
import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * A storage node that keeps its objects in memory and forwards along chains. It can hang, lose
 * answers and die.
 */
final class MemoryNode implements AutoCloseable {
    final String name;
    final RpcServer server;
    final AtomicInteger writes = new AtomicInteger();
    final AtomicInteger reads = new AtomicInteger();
    final AtomicInteger syncs = new AtomicInteger();
    volatile boolean hangs;
    volatile boolean corrupts;
    volatile boolean lies; // about bytes, and about their sums to match
    volatile boolean liesAboutBytesAlone;
    volatile int answersToLose;
    final Queue<ErrorKind> refusals = new ConcurrentLinkedQueue<>(); // of the next writes and syncs
    final Queue<Long> shipsUpTo =
            new ConcurrentLinkedQueue<>(); // in the next syncs, not to the end
    final Queue<Long> shippedFrom = new ConcurrentLinkedQueue<>(); // in all syncs
    private final RpcClient others;
    private final Map<String, Long> fences = new HashMap<>(); // guarded by objects
    private final Map<String, byte[]> objects = new HashMap<>(); // guarded by itself

    MemoryNode(String name, Loops loops, ChannelSecurity security) {
        this.name = name;
        others = new RpcClient(loops, security, ExpectedServer.metaserver());
        Services services =
                Services.builder()
                        .on(StorageMethods.WRITE, this::write)
                        .on(StorageMethods.READ, this::read)
                        .on(StorageMethods.READ_SUMS, this::sums)
                        .on(StorageMethods.COPY_RANGE, e -> e.reply(copy(e.request())))
                        .on(
                                StorageMethods.SYNC,
                                e -> {
                                    syncs.incrementAndGet();
                                    refuse();
                                    chain(
                                            e,
                                            e.request().getChain().getRestList(),
                                            () -> shipped(e.request()),
                                            m -> StorageMethods.SYNC,
                                            null);
                                })
                        .on(StorageMethods.STAT, e -> answer(e, size(e.request().getObject())))
                        .on(
                                StorageMethods.TRUNCATE,
                                e -> {
                                    TruncateObjectRequest q = e.request();
                                    ChainHeader chain = q.getChain();
                                    resize(chain.getObject(), q.getSize(), chain.getCreate());
                                    chain(
                                            e,
                                            chain.getRestList(),
                                            () -> size(chain.getObject()),
                                            m -> StorageMethods.TRUNCATE,
                                            null);
                                })
                        .build();
        server =
                RpcServer.bind(
                        loops,
                        new RpcServerConfig(
                                new HostPort("127.0.0.1", 0), name, security, services));
    }

    private static String key(ObjectId id) {
        return id.getInode() + "." + id.getStripe() + "." + id.getGeneration();
    }

    boolean has(long inode, int stripe, int generation) {
        synchronized (objects) {
            return objects.containsKey(inode + "." + stripe + "." + generation);
        }
    }

    byte[] content(long inode, int stripe, int generation) {
        synchronized (objects) {
            byte[] found = objects.get(inode + "." + stripe + "." + generation);
            return found == null ? new byte[0] : found.clone();
        }
    }

    /** As when a disk was pulled out. */
    void loseAll() {
        synchronized (objects) {
            objects.clear();
        }
    }

    private void refuse() {
        ErrorKind kind = refusals.poll();
        if (kind != null) throw new FarmException(kind, "write", name);
    }

    private ChainOutcome size(ObjectId id) {
        synchronized (objects) {
            byte[] bytes = objects.get(key(id));
            if (bytes == null) {
                throw new FarmException(ErrorKind.OBJECT_ABSENT, "stat", name);
            }
            return ChainOutcome.newBuilder().setSize(bytes.length).build();
        }
    }

    private ChainOutcome shipped(SyncObjectRequest q) {
        shippedFrom.add(q.getShip().getFromBlock());
        Long next = shipsUpTo.poll();
        return size(q.getChain().getObject()).toBuilder()
                .setShipFrom(next == null ? 0 : next)
                .build();
    }

    private void resize(ObjectId id, long size, boolean create) {
        synchronized (objects) {
            byte[] bytes = objects.get(key(id));
            if (bytes == null && !create) {
                throw new FarmException(ErrorKind.OBJECT_ABSENT, "write", name);
            }
            objects.put(key(id), Arrays.copyOf(bytes == null ? new byte[0] : bytes, (int) size));
        }
    }

    private void write(Exchange<WriteObjectRequest, ChainOutcome> e) {
        if (hangs) {
            return;
        }
        writes.incrementAndGet();
        refuse();
        WriteObjectRequest q = e.request();
        ChainHeader chain = q.getChain();
        byte[] bytes = new byte[e.payload().readableBytes()];
        e.payload().readBytes(bytes);
        long offset;
        synchronized (objects) {
            String fenced = key(chain.getObject()) + "/" + chain.getWriter();
            if (chain.getFence() < fences.getOrDefault(fenced, 0L)) {
                throw new FarmException(ErrorKind.WRONG_GENERATION, "write", name);
            }
            fences.put(fenced, chain.getFence());
            byte[] old = objects.get(key(chain.getObject()));
            if (old == null && !chain.getCreate()) {
                throw new FarmException(ErrorKind.OBJECT_ABSENT, "write", name);
            }
            old = old == null ? new byte[0] : old;
            offset = q.getAppend() ? old.length : q.getOffset();
            byte[] now = Arrays.copyOf(old, (int) Math.max(old.length, offset + bytes.length));
            System.arraycopy(bytes, 0, now, (int) offset, bytes.length);
            objects.put(key(chain.getObject()), now);
        }
        chain(
                e,
                chain.getRestList(),
                () -> size(chain.getObject()).toBuilder().setOffset(offset).build(),
                member -> StorageMethods.WRITE,
                offset(q, offset, bytes));
    }

    /** Of an object of its own, for itself alone. */
    private ChainOutcome copy(CopyRangeRequest q) {
        if (q.getChain().getRestCount() > 0) {
            throw new FarmException(ErrorKind.UNSUPPORTED, "copy", name, "along a chain");
        }
        synchronized (objects) {
            byte[] source = objects.get(key(q.getSource()));
            if (source == null) {
                throw new FarmException(ErrorKind.OBJECT_ABSENT, "copy", name);
            }
            byte[] old = objects.getOrDefault(key(q.getChain().getObject()), new byte[0]);
            int end = (int) (q.getOffset() + q.getLength());
            byte[] now = Arrays.copyOf(old, Math.max(old.length, end));
            System.arraycopy(
                    source,
                    (int) q.getSourceOffset(),
                    now,
                    (int) q.getOffset(),
                    (int) q.getLength());
            objects.put(key(q.getChain().getObject()), now);
        }
        return size(q.getChain().getObject());
    }

    private record Forward(WriteObjectRequest request, byte[] bytes) {}

    private static Forward offset(WriteObjectRequest q, long offset, byte[] bytes) {
        return new Forward(
                q.toBuilder()
                        .setChain(withoutRest(q.getChain()))
                        .setAppend(false)
                        .setOffset(offset)
                        .build(),
                bytes);
    }

    /**
     * Forwards to every later member directly, which is as good as from one to the next for those
     * who look from outside.
     */
    @SuppressWarnings({"unchecked", "rawtypes"})
    private void chain(
            Exchange e,
            List<ChainMember> rest,
            java.util.function.Supplier<ChainOutcome> own,
            Function<ChainMember, org.gridfarm.protocol.rpc.Method> method,
            @Nullable Forward forward) {
        ChainOutcome.Builder outcome = own.get().toBuilder();
        CompletableFuture<?>[] sent =
                rest.stream()
                        .map(member ->
                                others.expecting(
                                                ExpectedServer.node(new NodeName(member.getNode())))
                                        .dial(HostPort.parse(member.getAddress()))
                                        .thenCompose(peer -> {
                                            CompletableFuture<?> call =
                                                    forward == null
                                                            ? peer.callPlain(
                                                                    method.apply(member),
                                                                    withoutRest(e.request()),
                                                                    Duration.ofSeconds(1))
                                                            : peer.call(
                                                                    method.apply(member),
                                                                    forward.request,
                                                                    Unpooled.wrappedBuffer(
                                                                            forward.bytes),
                                                                    Duration.ofSeconds(1));
                                            return call.whenComplete((r, t) -> peer.close());
                                        })
                                        .handle((r, t) -> {
                                            if (t != null) {
                                                synchronized (outcome) {
                                                    outcome.addFailures(
                                                            MemberFailure.newBuilder()
                                                                    .setNode(member.getNode())
                                                                    .setErrorKind(60));
                                                }
                                            }
                                            return null;
                                        }))
                        .toArray(CompletableFuture<?>[]::new);
        CompletableFuture.allOf(sent).whenComplete((done, never) -> answer(e, outcome.build()));
    }

    private static com.google.protobuf.MessageLite withoutRest(Object request) {
        return request instanceof TruncateObjectRequest t
                ? t.toBuilder().setChain(withoutRest(t.getChain())).build()
                : withoutRest((SyncObjectRequest) request);
    }

    private static SyncObjectRequest withoutRest(SyncObjectRequest q) {
        return q.toBuilder().setChain(withoutRest(q.getChain())).build();
    }

    private static ChainHeader withoutRest(ChainHeader chain) {
        return chain.toBuilder().clearRest().build();
    }

    private void answer(Exchange<?, ChainOutcome> e, ChainOutcome outcome) {
        if (answersToLose > 0) {
            answersToLose--;
            e.peer().close();
        } else {
            e.reply(outcome);
        }
    }

    private void read(Exchange<ReadObjectRequest, ReadObjectReply> e) {
        if (hangs) {
            return;
        }
        reads.incrementAndGet();
        ReadObjectRequest q = e.request();
        byte[] bytes;
        synchronized (objects) {
            bytes = objects.get(key(q.getObject()));
        }
        if (bytes == null && !q.getMayBeAbsent()) {
            throw new FarmException(ErrorKind.OBJECT_ABSENT, "read", name);
        }
        byte[] all = told(bytes == null ? new byte[0] : bytes, lies || liesAboutBytesAlone);
        int from = (int) Math.min(q.getOffset(), all.length);
        int to = (int) Math.min(from + (long) q.getLength(), all.length);
        ByteBuf payload = Unpooled.copiedBuffer(all, from, to - from);
        java.util.zip.CRC32C crc = new java.util.zip.CRC32C();
        crc.update(all, from, to - from);
        int sum = (int) crc.getValue() + (corrupts ? 1 : 0);
        e.reply(
                ReadObjectReply.newBuilder()
                        .setSize(all.length)
                        .setEnd(to == all.length)
                        .setCrc32C(sum)
                        .build(),
                payload);
    }

    private void sums(Exchange<ReadSumsRequest, ReadSumsReply> e) {
        byte[] all;
        synchronized (objects) {
            all = told(objects.getOrDefault(key(e.request().getObject()), new byte[0]), lies);
        }
        ByteBuf payload = Unpooled.buffer();
        for (int at = 0; at < all.length; at += Blocks.BYTES) {
            int length = Math.min(Blocks.BYTES, all.length - at);
            payload.writeInt(Blocks.sum(ByteBuffer.wrap(all, at, length)));
        }
        e.reply(ReadSumsReply.newBuilder().setSize(all.length).build(), payload);
    }

    private static byte[] told(byte[] content, boolean changed) {
        byte[] told = content.clone();
        if (changed && told.length > 0) {
            told[told.length / 2] ^= 1;
        }
        return told;
    }

    @Override
    public void close() {
        server.close();
    }
}

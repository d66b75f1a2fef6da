package org.gridfarm.storagenode;

import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.auth.GridMap;
import org.gridfarm.protocol.auth.ticket.Rights;
import org.gridfarm.protocol.auth.tls.TlsContexts;
import org.gridfarm.protocol.auth.tls.TlsEngine;
import org.gridfarm.protocol.auth.x509.CertificateAuthority;
import org.gridfarm.protocol.auth.x509.ChainValidator;
import org.gridfarm.protocol.auth.x509.Credential;
import org.gridfarm.protocol.auth.x509.TrustStore;
import org.gridfarm.protocol.config.Config;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NodeName;
import org.gridfarm.protocol.rpc.Answer;
import org.gridfarm.protocol.rpc.ChannelSecurity;
import org.gridfarm.protocol.rpc.ExpectedServer;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.Loops;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.rpc.RpcClient;
import org.gridfarm.protocol.wire.ChainHeader;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.ReadObjectReply;
import org.gridfarm.protocol.wire.ReadObjectRequest;
import org.gridfarm.protocol.wire.StatObjectRequest;
import org.gridfarm.protocol.wire.SyncObjectRequest;
import org.gridfarm.protocol.wire.WriteObjectRequest;
import org.gridfarm.storagenode.disk.linux.LinuxDisk;
import org.gridfarm.storagenode.objects.Payload;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Real nodes in this process, over real sockets and mutual TLS, around a {@link TinyMetaserver};
 * and a client.
 */
final class TestFarm implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(20);
    static final String MAP =
            """
            "/O=Test/CN=alice" alice
            "/O=Test/CN=bob" bob
            "/O=Test/CN=carol" @admin:carol
            "/O=Test/CN=sched" @scheduler
            "/O=Test/CN=ms1" @metaserver
            "/O=Test/CN=n1" @node:n1
            "/O=Test/CN=n2" @node:n2
            "/O=Test/CN=n3" @node:n3
            """;

    final Path root;
    final Loops loops = Loops.start("test");
    final CertificateAuthority authority;
    final TinyMetaserver metaserver;
    final Map<String, StorageNode> nodes = new HashMap<>();
    final Credential alice;
    private final Map<String, Peer> peers = new HashMap<>();

    TestFarm(Path root, String... names) throws GeneralSecurityException {
        this.root = root;
        this.authority = CertificateAuthority.create("/O=Test/CN=Test CA", Instant.now());
        this.alice = authority.issueUser("/O=Test/CN=alice", Instant.now());
        this.metaserver = new TinyMetaserver(loops, security(host("ms1")));
        for (String name : names) {
            start(name, "");
        }
    }

    Credential host(String name) throws GeneralSecurityException {
        return authority.issueHost("/O=Test/CN=" + name, List.of("127.0.0.1"), Instant.now());
    }

    ChannelSecurity security(Credential credential) throws GeneralSecurityException {
        return ChannelSecurity.tls(
                new TlsContexts(
                        () -> credential,
                        new ChainValidator(TrustStore.of(authority.certificate())),
                        () -> GridMap.parse(MAP, "map"),
                        Clock.system(),
                        TlsEngine.AUTOMATIC,
                        loops.handshakes()));
    }

    StorageNode start(String name, String more) throws GeneralSecurityException {
        String text =
                """
                name = "%s"
                metaservers = ["%s"]
                data = ["%s"]
                reserve = "1M"
                slots = 2
                %s
                [tls]
                credential = "unused"
                trust = "unused"
                """
                        .formatted(name, metaserver.address(), data(name), more);
        NodeSettings settings = Config.read(text, root.resolve(name + ".toml"), NodeSettings::read);
        StorageNode node =
                StorageNode.start(
                        settings,
                        loops,
                        security(host(name)),
                        LinuxDisk.orPortable(),
                        Clock.system(),
                        Entropy.system());
        nodes.put(name, node);
        peers.remove(name);
        await().atMost(PATIENCE).until(node::isReady);
        return node;
    }

    StorageNode node(String name) {
        return Objects.requireNonNull(nodes.get(name));
    }

    /** The metaserver's way to a node. */
    Peer orders(String name) {
        return Objects.requireNonNull(metaserver.nodes.get(name));
    }

    Path data(String name) {
        return root.resolve(name).resolve("data");
    }

    void stop(String name) throws IOException {
        StorageNode node = nodes.remove(name);
        if (node != null) {
            node.close();
        }
    }

    Peer peer(String node) throws GeneralSecurityException {
        Peer peer = peers.get(node);
        if (peer == null || !peer.isOpen()) {
            peer = dial(alice, node);
            peers.put(node, peer);
        }
        return peer;
    }

    Peer dial(Credential credential, String node) throws GeneralSecurityException {
        return get(
                new RpcClient(loops, security(credential), ExpectedServer.node(new NodeName(node)))
                        .dial(
                                HostPort.parse(
                                        Objects.requireNonNull(metaserver.addresses.get(node)))));
    }

    /** What tickets for this credential are bound to. */
    static long binding(Credential credential) throws GeneralSecurityException {
        byte[] key = credential.certificate().getPublicKey().getEncoded();
        return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(key)).getLong();
    }

    static ObjectId object(long inode, int generation) {
        return ObjectId.newBuilder().setInode(inode).setGeneration(generation).build();
    }

    /** As alice, who has the right to write, sends it to the head. */
    ChainHeader.Builder header(ObjectId object, String head, String... rest)
            throws GeneralSecurityException {
        return ChainHeader.newBuilder()
                .setObject(object)
                .setTicket(metaserver.ticket(head, object, Rights.READ_WRITE, binding(alice), rest))
                .addAllRest(metaserver.members(object, Rights.READ_WRITE, binding(alice), rest))
                .setWriter(1)
                .setFence(1);
    }

    WriteObjectRequest.Builder writing(ObjectId object, String head, String... rest)
            throws GeneralSecurityException {
        return WriteObjectRequest.newBuilder().setChain(header(object, head, rest).setCreate(true));
    }

    ChainOutcome write(ObjectId object, long offset, byte[] bytes, String head, String... rest)
            throws GeneralSecurityException {
        return get(send(writing(object, head, rest).setOffset(offset), bytes, head));
    }

    CompletableFuture<ChainOutcome> send(
            WriteObjectRequest.Builder request, byte[] bytes, String head)
            throws GeneralSecurityException {
        ByteBuf payload = Unpooled.wrappedBuffer(bytes);
        return peer(head)
                .call(
                        StorageMethods.WRITE,
                        request.setCrc32C(Payload.crc(payload)).build(),
                        payload,
                        PATIENCE)
                .thenApply(Answer::message);
    }

    byte[] read(String node, ObjectId object, long offset, int length)
            throws GeneralSecurityException {
        ByteString ticket = metaserver.ticket(node, object, Rights.READ, binding(alice));
        return read(node, object, ticket, offset, length, false);
    }

    byte[] read(
            String node,
            ObjectId object,
            ByteString ticket,
            long offset,
            int length,
            boolean mayBeAbsent)
            throws GeneralSecurityException {
        ReadObjectRequest request =
                ReadObjectRequest.newBuilder()
                        .setObject(object)
                        .setOffset(offset)
                        .setLength(length)
                        .setTicket(ticket)
                        .setMayBeAbsent(mayBeAbsent)
                        .build();
        try (Answer<ReadObjectReply> answer =
                get(peer(node).call(StorageMethods.READ, request, null, PATIENCE))) {
            byte[] bytes = new byte[answer.payload().readableBytes()];
            answer.payload().readBytes(bytes);
            return bytes;
        }
    }

    Path file(String node, ObjectId object) throws IOException {
        String name =
                Long.toHexString(object.getInode())
                        + "."
                        + object.getStripe()
                        + "."
                        + object.getGeneration();
        try (var files = Files.walk(data(node).resolve("objects"))) {
            return files.filter(file -> file.getFileName().toString().equals(name))
                    .findFirst()
                    .orElseThrow();
        }
    }

    static <T> T get(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            throw FarmException.of(e, "test", "");
        }
    }

    static FarmException failure(CompletableFuture<?> future) {
        try {
            Object value = future.join();
            throw new AssertionError("no failure but " + value);
        } catch (CompletionException e) {
            return FarmException.of(e, "test", "");
        }
    }

    @Override
    public void close() throws IOException {
        for (String name : List.copyOf(nodes.keySet())) {
            stop(name);
        }
        metaserver.close();
        loops.close();
    }

    ChainOutcome stat(ObjectId id, String node) throws Exception {
        StatObjectRequest request =
                StatObjectRequest.newBuilder()
                        .setObject(id)
                        .setTicket(metaserver.ticket(node, id, Rights.READ, binding(alice)))
                        .build();
        return get(peer(node).callPlain(StorageMethods.STAT, request, PATIENCE));
    }

    SyncObjectRequest sync(ObjectId id, boolean durable, String... chain) throws Exception {
        return SyncObjectRequest.newBuilder()
                .setChain(header(id, chain[0], Arrays.copyOfRange(chain, 1, chain.length)))
                .setDurable(durable)
                .setDigest(true)
                .build();
    }
}

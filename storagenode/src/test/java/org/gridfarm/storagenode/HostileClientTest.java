package org.gridfarm.storagenode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.gridfarm.storagenode.TestFarm.PATIENCE;
import static org.gridfarm.storagenode.TestFarm.binding;
import static org.gridfarm.storagenode.TestFarm.failure;
import static org.gridfarm.storagenode.TestFarm.get;
import static org.gridfarm.storagenode.TestFarm.object;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.auth.ticket.Rights;
import org.gridfarm.protocol.auth.x509.Credential;
import org.gridfarm.protocol.checksum.Blocks;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.StagedName;
import org.gridfarm.protocol.rpc.Answer;
import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.AllocateObjectRequest;
import org.gridfarm.protocol.wire.ChainHeader;
import org.gridfarm.protocol.wire.ChainMember;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.CloseLocalRequest;
import org.gridfarm.protocol.wire.CopyRangeRequest;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.OpenLocalReply;
import org.gridfarm.protocol.wire.OpenLocalRequest;
import org.gridfarm.protocol.wire.ReadObjectRequest;
import org.gridfarm.protocol.wire.ReadSumsReply;
import org.gridfarm.protocol.wire.ReadSumsRequest;
import org.gridfarm.protocol.wire.SeekObjectRequest;
import org.gridfarm.protocol.wire.StageReply;
import org.gridfarm.protocol.wire.StageRequest;
import org.gridfarm.protocol.wire.StagedFile;
import org.gridfarm.protocol.wire.StatObjectRequest;
import org.gridfarm.protocol.wire.SyncObjectRequest;
import org.gridfarm.protocol.wire.TruncateObjectRequest;
import org.gridfarm.protocol.wire.WriteObjectRequest;
import org.gridfarm.storagenode.objects.Payload;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * A client with a good certificate and some rights of his own, bob, tries what he has no right to:
 * above all the files of alice.
 */
class HostileClientTest {
    private static final byte[] SECRET = "alice's secret".getBytes(StandardCharsets.US_ASCII);
    private static final AtomicLong INODES = new AtomicLong(5000);

    @TempDir static Path root;
    private static TestFarm farm;
    private static Credential bob;

    @BeforeAll
    static void start() throws Exception {
        farm = new TestFarm(root, "n1", "n2");
        bob = farm.authority.issueUser("/O=Test/CN=bob", Instant.now());
    }

    @AfterAll
    static void stop() throws Exception {
        farm.close();
    }

    private static ObjectId fresh() {
        return object(INODES.incrementAndGet(), 1);
    }

    private static ByteString ticket(String node, ObjectId id, Rights rights, Credential who)
            throws Exception {
        return farm.metaserver.ticket(node, id, rights, binding(who));
    }

    private static <Q extends MessageLite, R extends MessageLite> CompletableFuture<R> asBob(
            Method<Q, R> method, Q request) throws Exception {
        Peer peer = farm.dial(bob, "n1");
        CompletableFuture<R> answer = peer.callPlain(method, request, PATIENCE);
        return answer.whenComplete((_, _) -> peer.close());
    }

    private static <Q extends MessageLite, R extends MessageLite> void refused(
            Method<Q, R> method, Q request) throws Exception {
        assertThat(failure(asBob(method, request)).kind()).isEqualTo(ErrorKind.TICKET_REFUSED);
    }

    private static ChainHeader.Builder header(ObjectId id, ChainMember... rest) throws Exception {
        return ChainHeader.newBuilder()
                .setObject(id)
                .setTicket(
                        farm.metaserver.ticket(
                                "n1",
                                id,
                                Rights.READ_WRITE,
                                binding(bob),
                                Stream.of(rest).map(ChainMember::getNode).toArray(String[]::new)))
                .addAllRest(List.of(rest))
                .setCreate(true)
                .setWriter(99)
                .setFence(1);
    }

    private static WriteObjectRequest.Builder write(ChainHeader.Builder chain) {
        return WriteObjectRequest.newBuilder().setChain(chain);
    }

    private static WriteObjectRequest.Builder write(ObjectId id, ChainMember... rest)
            throws Exception {
        return write(header(id, rest));
    }

    private static CompletableFuture<ChainOutcome> send(
            WriteObjectRequest.Builder request, byte[] bytes) throws Exception {
        ByteBuf payload = Unpooled.wrappedBuffer(bytes);
        Peer peer = farm.dial(bob, "n1");
        return peer.call(
                        StorageMethods.WRITE,
                        request.setCrc32C(Payload.crc(payload)).build(),
                        payload,
                        PATIENCE)
                .thenApply(Answer::message)
                .whenComplete((_, _) -> peer.close());
    }

    // ---- other people's objects
    // ------------------------------------------------------------------------------------------------------------------

    /** Into an object of bob's own at n1, from a replica as he names it. */
    private static CopyRangeRequest copy(
            ObjectId own, ObjectId source, String node, ByteString sourceTicket) throws Exception {
        return CopyRangeRequest.newBuilder()
                .setChain(header(own))
                .setLength(SECRET.length)
                .setSource(source)
                .addSourceReplicas(
                        ChainMember.newBuilder()
                                .setNode(node)
                                .setAddress(farm.node(node).address().toString())
                                .setTicket(sourceTicket))
                .build();
    }

    @Test
    void aCopyReadsWhatItsCallerMayReadAndNothingElse() throws Exception {
        ObjectId alices = fresh();
        farm.write(alices, 0, SECRET, "n1", "n2");
        ObjectId own = fresh();
        for (String node : List.of("n1", "n2")) {
            refused(StorageMethods.COPY_RANGE, copy(own, alices, node, ByteString.EMPTY));
            ByteString stolen = ticket(node, alices, Rights.READ, farm.alice);
            refused(StorageMethods.COPY_RANGE, copy(own, alices, node, stolen));
            ByteString altered = // made out to bob, which the node that has it sees
                    stolen.substring(0, 56)
                            .concat(ticket(node, alices, Rights.READ, bob).substring(56, 64))
                            .concat(stolen.substring(64));
            assertThat(failure(asBob(StorageMethods.COPY_RANGE, copy(own, alices, node, altered))))
                    .extracting(FarmException::kind)
                    .isEqualTo(ErrorKind.TICKET_REFUSED);
            ByteString writeOnly = ticket(node, alices, Rights.WRITE, bob);
            refused(StorageMethods.COPY_RANGE, copy(own, alices, node, writeOnly));
        }
        for (String node : List.of("n1", "n2")) {
            ByteString good = ticket(node, alices, Rights.READ, bob);
            get(asBob(StorageMethods.COPY_RANGE, copy(own, alices, node, good)));
            assertThat(farm.read("n1", own, 0, 100)).isEqualTo(SECRET);
        }
    }

    @Test
    void aTicketOfSomebodyElseIsNotPassedOnDownTheChain() throws Exception {
        ObjectId id = fresh();
        farm.write(id, 0, SECRET, "n2");
        ChainMember.Builder next =
                ChainMember.newBuilder()
                        .setNode("n2")
                        .setAddress(farm.node("n2").address().toString());
        next.setTicket(ticket("n2", id, Rights.READ_WRITE, farm.alice));
        assertThat(failure(send(write(id, next.build()), new byte[100])).kind())
                .isEqualTo(ErrorKind.TICKET_REFUSED);
        assertThat(farm.read("n2", id, 0, 100)).isEqualTo(SECRET);
        next.setTicket(ticket("n2", id, Rights.READ_WRITE, bob));
        assertThat(get(send(write(id, next.build()), new byte[100])).getFailuresList()).isEmpty();
        assertThat(farm.read("n2", id, 0, 100)).isEqualTo(new byte[100]);
    }

    @Test
    void nobodyActsOnAnObjectWithoutATicketWhateverHisRole() throws Exception {
        ObjectId id = fresh();
        farm.write(id, 0, SECRET, "n1");
        for (String host : List.of("ms1", "sched", "n2")) {
            Peer peer = farm.dial(farm.host(host), "n1");
            ReadObjectRequest read =
                    ReadObjectRequest.newBuilder().setObject(id).setLength(100).build();
            assertThat(failure(peer.call(StorageMethods.READ, read, null, PATIENCE)).kind())
                    .isIn(ErrorKind.TICKET_REFUSED, ErrorKind.NOT_PERMITTED);
            peer.close();
        }
    }

    @Test
    void whoMayKnowTheSizeOfAFileReadsNothingOfIt() throws Exception {
        ObjectId id = fresh();
        farm.write(id, 0, SECRET, "n1");
        ByteString ticket = ticket("n1", id, Rights.STAT, bob);
        StatObjectRequest stat =
                StatObjectRequest.newBuilder().setObject(id).setTicket(ticket).build();
        assertThat(get(asBob(StorageMethods.STAT, stat)).getSize()).isEqualTo(SECRET.length);
        refused(
                StorageMethods.READ,
                ReadObjectRequest.newBuilder()
                        .setObject(id)
                        .setTicket(ticket)
                        .setLength(100)
                        .build());
        refused(
                StorageMethods.SEEK,
                SeekObjectRequest.newBuilder().setObject(id).setTicket(ticket).build());
        refused(
                StorageMethods.READ_SUMS,
                ReadSumsRequest.newBuilder().setObject(id).setTicket(ticket).build());
        ByteString toRead = ticket("n1", id, Rights.READ, bob);
        Peer peer = farm.dial(bob, "n1");
        Answer<ReadSumsReply> sums =
                get(
                        peer.call(
                                StorageMethods.READ_SUMS,
                                ReadSumsRequest.newBuilder()
                                        .setObject(id)
                                        .setTicket(toRead)
                                        .build(),
                                null,
                                PATIENCE));
        assertThat(sums.message().getSize()).isEqualTo(SECRET.length);
        assertThat(sums.payload().readInt()).isEqualTo(Blocks.sum(ByteBuffer.wrap(SECRET)));
        assertThat(sums.payload().isReadable()).isFalse();
        sums.payload().release();
        peer.close();
        refused(
                StorageMethods.OPEN_LOCAL,
                OpenLocalRequest.newBuilder().setObject(id).setTicket(ticket).build());
        refused(StorageMethods.COPY_RANGE, copy(fresh(), id, "n1", ticket));
    }

    // ---- replicas that would differ
    // -------------------------------------------------------------------------------------------------------------------

    private static ChainMember member(String node, ObjectId id) throws Exception {
        return ChainMember.newBuilder()
                .setNode(node)
                .setAddress(farm.node(node).address().toString())
                .setTicket(ticket(node, id, Rights.READ_CHAINED, bob))
                .build();
    }

    @Test
    void whoMayWriteWritesToAllMembersOfTheChainOrToNone() throws Exception {
        ObjectId id = fresh();
        ChainMember next = member("n2", id);
        assertThat(get(send(write(id, next), SECRET)).getFailuresList()).isEmpty();
        byte[] other = new byte[SECRET.length];
        // At the head alone, with another member, or one that joins as he says.
        ChainHeader.Builder whole = header(id, next);
        for (ChainHeader.Builder bad :
                List.of(
                        whole.clone().clearRest(),
                        whole.clone().clearRest().addRest(member("n1", id)),
                        whole.clone().setRest(0, next.toBuilder().setJoining(true)))) {
            FarmException failure = failure(send(write(bad), other));
            assertThat(failure.kind()).isEqualTo(ErrorKind.TICKET_REFUSED);
            assertThat(failure).hasMessageContaining("not those of the chain");
        }
        // At a member behind it, by its own ticket.
        ChainHeader.Builder behind =
                header(id).setTicket(ticket("n1", id, Rights.READ_CHAINED, bob));
        assertThat(failure(send(write(behind), other)).kind()).isEqualTo(ErrorKind.TICKET_REFUSED);
        // What was written into the plain file is not taken for known to the others.
        SyncObjectRequest sync =
                SyncObjectRequest.newBuilder()
                        .setChain(whole.clone().clearRest())
                        .setDurable(true)
                        .build();
        refused(StorageMethods.SYNC, sync.toBuilder().setDigest(true).build());
        refused(StorageMethods.SYNC, sync.toBuilder().setDurable(false).build());
        get(asBob(StorageMethods.SYNC, sync)); // on this disk alone, which tells nobody anything
        for (String node : List.of("n1", "n2")) {
            assertThat(farm.read(node, id, 0, 100)).isEqualTo(SECRET);
        }
    }

    @Test
    void noChangeGoesWithoutAFenceAndNobodyRaisesTheFenceOfAnother() throws Exception {
        ObjectId id = fresh();
        ChainHeader.Builder alices = farm.header(id, "n1").setCreate(true).setWriter(7);
        get(farm.send(write(alices.setFence(3)), SECRET, "n1"));
        assertThat(failure(send(write(header(id).clearFence()), SECRET)).kind())
                .isEqualTo(ErrorKind.INVALID);
        get(send(write(header(id).setWriter(7).setFence(Long.MAX_VALUE)), SECRET));
        get(farm.send(write(alices.setFence(4)), SECRET, "n1"));
        assertThat(failure(farm.send(write(alices.setFence(3)), SECRET, "n1")).kind())
                .isEqualTo(ErrorKind.WRONG_GENERATION);
    }

    @Test
    void nothingGoesDownAChainThatTheRequestDoesNotName() throws Exception {
        assertThat(failure(send(WriteObjectRequest.newBuilder(), SECRET)).kind())
                .isEqualTo(ErrorKind.TICKET_REFUSED);
        refused(StorageMethods.SYNC, SyncObjectRequest.getDefaultInstance());
        refused(StorageMethods.TRUNCATE, TruncateObjectRequest.getDefaultInstance());
        refused(StorageMethods.ALLOCATE, AllocateObjectRequest.getDefaultInstance());
        refused(StorageMethods.COPY_RANGE, CopyRangeRequest.getDefaultInstance());
    }

    // ---- other people's staged files and grants
    // --------------------------------------------------------------------------------------------------

    private static StageReply stage(Peer peer, int count) {
        return get(
                peer.callPlain(
                        StorageMethods.STAGE,
                        StageRequest.newBuilder().setCount(count).build(),
                        PATIENCE));
    }

    private static OpenLocalRequest claim(ObjectId id, long number, Credential who)
            throws Exception {
        return OpenLocalRequest.newBuilder()
                .setObject(id)
                .setTicket(ticket("n1", id, Rights.READ_WRITE, who))
                .setWrite(true)
                .setStaged(number)
                .build();
    }

    @Test
    void aStagedFileIsItsClientsAlone() throws Exception {
        StagedFile alices = stage(farm.peer("n1"), 1).getFiles(0);
        Files.write(Path.of(alices.getPath()), SECRET);
        long number = alices.getNumber();
        long shown = StagedName.shown(number);
        ObjectId own = fresh();
        for (long guess : List.of(number, shown)) {
            assertThat(failure(asBob(StorageMethods.OPEN_LOCAL, claim(own, guess, bob))).kind())
                    .isEqualTo(ErrorKind.OBJECT_ABSENT);
            SyncObjectRequest sync =
                    SyncObjectRequest.newBuilder()
                            .setChain(header(own).setCreate(false))
                            .setShip(SyncObjectRequest.Ship.newBuilder().setStaged(guess))
                            .build();
            assertThat(failure(asBob(StorageMethods.SYNC, sync)).kind())
                    .isEqualTo(ErrorKind.OBJECT_ABSENT);
            get(asBob(StorageMethods.STAGE, StageRequest.newBuilder().addDiscard(guess).build()));
        }
        assertThat(Path.of(alices.getPath())).hasBinaryContent(SECRET);
        // What is shown tells how long it is, and is no number to claim by, not for alice either.
        StatObjectRequest.Builder stat =
                StatObjectRequest.newBuilder()
                        .setObject(own)
                        .setTicket(ticket("n1", own, Rights.STAT, bob));
        assertThat(get(asBob(StorageMethods.STAT, stat.setStaged(shown).build())).getSize())
                .isEqualTo(SECRET.length);
        assertThat(failure(asBob(StorageMethods.STAT, stat.setStaged(number).build())).kind())
                .isEqualTo(ErrorKind.OBJECT_ABSENT);
        ObjectId hers = fresh();
        Peer alice = farm.peer("n1");
        assertThat(
                        failure(
                                        alice.callPlain(
                                                StorageMethods.OPEN_LOCAL,
                                                claim(hers, shown, farm.alice),
                                                PATIENCE))
                                .kind())
                .isEqualTo(ErrorKind.OBJECT_ABSENT);
        get(alice.callPlain(StorageMethods.OPEN_LOCAL, claim(hers, number, farm.alice), PATIENCE));
        assertThat(farm.read("n1", hers, 0, 100)).isEqualTo(SECRET);
    }

    @Test
    void oneClientDoesNotTakeTheRoomForAllStagedFiles() throws Exception {
        Peer peer = farm.dial(bob, "n1");
        List<Long> numbers = new ArrayList<>();
        FarmException full = null;
        for (int i = 0; i < 200 && full == null; i++) {
            try {
                stage(peer, 64).getFilesList().forEach(file -> numbers.add(file.getNumber()));
            } catch (FarmException e) {
                full = e;
            }
        }
        assertThat(full)
                .hasMessageContaining("1024 for one client")
                .extracting(FarmException::kind)
                .isEqualTo(ErrorKind.OVERLOADED);
        assertThat(numbers).hasSizeBetween(1024, 1024 + 64);
        assertThat(stage(farm.peer("n1"), 2).getFilesCount()).isEqualTo(2);
        StageRequest back = StageRequest.newBuilder().addAllDiscard(numbers).build();
        get(peer.callPlain(StorageMethods.STAGE, back, PATIENCE));
        peer.close();
    }

    @Test
    void nobodyGivesBackWhatWasGrantedToAnother() throws Exception {
        ObjectId id = fresh();
        farm.write(id, 0, new byte[SECRET.length], "n1", "n2");
        OpenLocalReply granted =
                get(
                        farm.peer("n1")
                                .callPlain(
                                        StorageMethods.OPEN_LOCAL,
                                        claim(id, 0, farm.alice),
                                        PATIENCE));
        get(
                asBob(
                        StorageMethods.CLOSE_LOCAL,
                        CloseLocalRequest.newBuilder().addUnchanged(granted.getLease()).build()));
        Files.write(Path.of(granted.getPath()), SECRET);
        SyncObjectRequest sync =
                SyncObjectRequest.newBuilder().setChain(farm.header(id, "n1", "n2")).build();
        get(farm.peer("n1").callPlain(StorageMethods.SYNC, sync, PATIENCE));
        assertThat(farm.read("n2", id, 0, 100)).isEqualTo(SECRET);
    }

    // ---- where a node calls
    // --------------------------------------------------------------------------------------------------------------------------

    @Test
    void aNodeCallsOnNoAddressThatAClientMadeUp() throws Exception {
        try (ServerSocket inside = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            ObjectId id = fresh();
            ChainMember.Builder member =
                    ChainMember.newBuilder().setAddress("127.0.0.1:" + inside.getLocalPort());
            for (String name : List.of("n2", "n9")) {
                member.setNode(name).setTicket(ticket(name, id, Rights.READ_CHAINED, bob));
                ChainOutcome outcome = get(send(write(id, member.build()), SECRET));
                assertThat(outcome.getFailuresList())
                        .singleElement()
                        .satisfies(failure ->
                                assertThat(failure.getDetail())
                                        .contains("the metaserver knows no such node there"));
            }
            ObjectId source = fresh();
            CopyRangeRequest copy =
                    copy(fresh(), source, "n2", ticket("n2", source, Rights.READ, bob));
            CopyRangeRequest.Builder elsewhere = copy.toBuilder();
            elsewhere.getSourceReplicasBuilder(0).setAddress(member.getAddress());
            assertThat(failure(asBob(StorageMethods.COPY_RANGE, elsewhere.build())))
                    .hasMessageContaining("the metaserver knows no such node there");
            inside.setSoTimeout(1);
            assertThatThrownBy(inside::accept).isInstanceOf(SocketTimeoutException.class);
        }
    }
}

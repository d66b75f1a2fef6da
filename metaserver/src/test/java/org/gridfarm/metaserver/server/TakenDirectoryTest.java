package org.gridfarm.metaserver.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.wire.CloseRequest;
import org.gridfarm.protocol.wire.DelegateReply;
import org.gridfarm.protocol.wire.DelegateRequest;
import org.gridfarm.protocol.wire.LookupReply;
import org.gridfarm.protocol.wire.MakeLink;
import org.gridfarm.protocol.wire.MutateRequest;
import org.gridfarm.protocol.wire.OpenRequest;
import org.gridfarm.protocol.wire.RecalledDirectory;
import org.gridfarm.protocol.wire.Remove;
import org.gridfarm.protocol.wire.ShipReply;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A session that asks for a directory which was there before, and others who know it. */
class TakenDirectoryTest extends FarmOfOneLeader {
    private static final int SOME = 3;

    @Test
    void itComesWithAllThatIsInItAndOthersForgetIt() {
        MetaServerDaemon cache = farm.start("ms2", true);
        TestFarm.awaitRole(cache, "cache");
        Holder holder = new Holder(farm, leader, 7);
        TestClient reader = new TestClient(farm, cache, 8).renewing();
        long directory = madeWith(holder, SOME);
        long file = leased(reader, directory, "f0");
        assertThat(leased(reader, 1, "there")).isEqualTo(directory);
        TestFarm.await("lease", () -> reader.lookup(directory, "none").getEntryCacheable());
        reader.recalls.clear();

        assertThat(takes(holder, directory)).isTrue();
        assertThat(reader.recalls.stream().flatMap(r -> r.getAttributesList().stream()))
                .as("before the directory was given")
                .contains(directory, file);
        assertThat(reader.recalls.stream().flatMap(r -> r.getDirectoriesList().stream()))
                .extracting(RecalledDirectory::getInode)
                .containsOnly(directory);

        long made = holder.creates(directory, "none");
        holder.does(unlinking(holder, directory, "f0"));
        assertThat(reader.lookup(directory, "f0").getFound()).isFalse();
        assertThat(reader.lookup(directory, "none").getAttributes().getInode()).isEqualTo(made);
        assertThat(reader.lookup(directory, "f1").getFound()).isTrue();
        assertThat(holder.isOwn(directory)).isFalse();
    }

    @Test
    void whatItsMountDecidedThereTheLeaderComesToAsWell() {
        Holder holder = new Holder(farm, leader, 7);
        long directory = madeWith(holder, SOME);
        assertThat(takes(holder, directory)).isTrue();
        for (int i = 0; i < SOME; i++) {
            holder.does(unlinking(holder, directory, "f" + i));
        }
        holder.makes(directory, "below");
        ShipReply reply =
                holder.client.call(
                        MetadataMethods.SHIP, holder.shipment(List.copyOf(holder.unshipped)));
        assertThat(reply.getDone()).isEqualTo(SOME + 1);
        assertThat(reply.getDifferentList()).isEmpty();
    }

    @Test
    void notTheRootNorWhatSomebodyElseHas() {
        Holder holder = new Holder(farm, leader, 7);
        Holder other = new Holder(farm, leader, 8);
        assertThat(takes(holder, 1)).isFalse();
        long own = other.makesOwn(1, "own");
        other.creates(own, "f");
        assertThat(takes(holder, own)).isFalse();
        assertThat(other.isOwn(own)).as("and it stays his").isTrue();
        assertThat(takes(holder, 4711)).as("what does not exist").isFalse();
    }

    @Test
    void notWhereAnotherHasAFileOpen() {
        Holder holder = new Holder(farm, leader, 7);
        TestClient other = new TestClient(farm, leader, 8).renewing();
        long directory = madeWith(holder, SOME);
        long file = holder.client.lookup(directory, "f1").getAttributes().getInode();
        other.call(
                MetadataMethods.OPEN,
                OpenRequest.newBuilder()
                        .setSession(8)
                        .setInode(file)
                        .setHandle(5)
                        .setRead(true)
                        .build());
        assertThat(takes(holder, directory)).isFalse();
        other.call(
                MetadataMethods.CLOSE,
                CloseRequest.newBuilder().setSession(8).addHandles(5).build());
        TestFarm.await("taken when it is closed", () -> takes(holder, directory));
    }

    @Test
    void notWhereAFileHasANameElsewhere() {
        Holder holder = new Holder(farm, leader, 7);
        long directory = madeWith(holder, 1);
        long file = holder.client.lookup(directory, "f0").getAttributes().getInode();
        MakeLink.Builder link =
                MakeLink.newBuilder().setParent(1).setName(TestFarm.name("second")).setInode(file);
        holder.client.call(MetadataMethods.MUTATE, holder.client.command().setLink(link).build());
        assertThat(takes(holder, directory)).isFalse();
    }

    @Test
    void notWhereAnotherHasJustChangedANameNorWhereItWasJustAskedBack() {
        Holder holder = new Holder(farm, leader, 7);
        TestClient other = new TestClient(farm, leader, 8).renewing();
        long directory = madeWith(holder, SOME);
        assertThat(takes(holder, directory)).isTrue();
        other.create(directory, "theirs");
        DelegateReply refused = asks(holder, directory);
        assertThat(refused.hasDelegation()).isFalse();
        assertThat(refused.getPauseMillis()).isPositive();
        TestFarm.await("taken after the pause", () -> takes(holder, directory));
    }

    @Test
    void notWhatIsTooLargeToBeToldAtOnce() {
        Holder holder = new Holder(farm, leader, 7);
        long directory = holder.makesOwn(1, "large");
        for (int made = 0; made <= MetadataMethods.DELEGATED_ENTRIES_MAX; made++) {
            if (holder.ground.numbersLeft() == 0) getsNumbers(holder);
            holder.creates(directory, "f" + made);
            if (holder.unshipped.size() == MetadataMethods.SHIPPED_MAX) {
                TestFarm.get(holder.ships(Integer.MAX_VALUE));
            }
        }
        TestClient other = new TestClient(farm, leader, 8).renewing();
        assertThat(other.lookup(directory, "f0").getFound()).as("has it given back").isTrue();
        TestFarm.await("asked for what is too large", () -> pause(holder, directory) > 20_000);
    }

    private static int pause(Holder holder, long directory) {
        return asks(holder, directory).getPauseMillis();
    }

    private static void getsNumbers(Holder holder) {
        ShipReply reply =
                holder.client.call(
                        MetadataMethods.SHIP,
                        holder.shipment(List.of()).toBuilder().setNumbers(1000).build());
        holder.ground.addNumbers(reply.getFirstNumber(), reply.getNumbers());
    }

    /** The reply is on its way when somebody asks: the session has not heard that it has it. */
    @Test
    void whoeverAsksBeforeItIsToldWaitsForNothing() {
        Holder holder = new Holder(farm, leader, 7);
        TestClient reader = new TestClient(farm, leader, 8).renewing();
        long directory = madeWith(holder, SOME);
        TestFarm.await("lease", () -> reader.lookup(directory, "f0").getEntryCacheable());
        CompletableFuture<Void> forgotten = new CompletableFuture<>();
        reader.holdRecalls(forgotten);
        holder.client.recalls.clear();
        CompletableFuture<DelegateReply> asked =
                holder.client.start(MetadataMethods.DELEGATE, request(holder, directory));
        TestFarm.await("recalled from the reader", () -> !reader.recalls.isEmpty());
        assertThat(asked).isNotDone();
        TestClient third = new TestClient(farm, leader, 9).renewing();
        CompletableFuture<?> made =
                third.start(MetadataMethods.MUTATE, third.creating(directory, "theirs"));
        TestFarm.await("asked back", () -> !holder.client.recalls.isEmpty());
        forgotten.complete(null);
        TestFarm.get(made);
        assertThat(TestFarm.get(asked).hasDelegation()).isFalse();
        assertThat(third.lookup(directory, "theirs").getFound()).isTrue();
    }

    /** Name and attributes are. */
    private static long leased(TestClient reader, long parent, String name) {
        TestFarm.await(
                "lease",
                () -> {
                    LookupReply found = reader.lookup(parent, name);
                    return found.getEntryCacheable() && found.getAttributesCacheable();
                });
        return reader.lookup(parent, name).getAttributes().getInode();
    }

    private static long madeWith(Holder holder, int files) {
        long directory = holder.client.mkdir(1, "there").getAttributes().getInode();
        for (int i = 0; i < files; i++) holder.client.create(directory, "f" + i);
        return directory;
    }

    private static DelegateRequest request(Holder holder, long directory) {
        return DelegateRequest.newBuilder()
                .setSession(holder.client.session)
                .setDirectory(directory)
                .setNumbers(100)
                .build();
    }

    private static DelegateReply asks(Holder holder, long directory) {
        return holder.client.call(MetadataMethods.DELEGATE, request(holder, directory));
    }

    private static boolean takes(Holder holder, long directory) {
        DelegateReply reply = asks(holder, directory);
        synchronized (holder) {
            return reply.hasDelegation() && holder.ground.add(reply.getDelegation());
        }
    }

    private static MutateRequest unlinking(Holder holder, long directory, String name) {
        return holder.client
                .command()
                .setUnlink(Remove.newBuilder().setParent(directory).setName(TestFarm.name(name)))
                .build();
    }
}

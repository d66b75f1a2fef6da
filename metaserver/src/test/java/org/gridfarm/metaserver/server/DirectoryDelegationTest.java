package org.gridfarm.metaserver.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import org.gridfarm.metaserver.server.files.DelegationFigures;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.api.ShippedAnswers;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.wire.AdminRequest;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.CloseSessionRequest;
import org.gridfarm.protocol.wire.ClusterStatusReply;
import org.gridfarm.protocol.wire.ClusterStatusRequest;
import org.gridfarm.protocol.wire.FindNumberRequest;
import org.gridfarm.protocol.wire.GetAttributesRequest;
import org.gridfarm.protocol.wire.LookupReply;
import org.gridfarm.protocol.wire.LookupRequest;
import org.gridfarm.protocol.wire.MakeLink;
import org.gridfarm.protocol.wire.MutateReply;
import org.gridfarm.protocol.wire.ShipReply;
import org.gridfarm.protocol.wire.ShipRequest;
import org.gridfarm.protocol.wire.ShippedCommand;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * What a mount has decided in a directory of its own others find as if the leader had decided it,
 * whether they ask the leader or a cache, and whoever dies in between.
 */
class DirectoryDelegationTest extends FarmOfOneLeader {
    @Test
    void whoeverElseAsksFindsWhatWasDecided() {
        Holder holder = new Holder(farm, leader, 7);
        TestClient other = new TestClient(farm, leader, 8).renewing();
        long own = holder.makesOwn(1, "own");
        long file = 0;
        for (int i = 0; i < 50; i++) file = holder.creates(own, "f" + i);
        long below = holder.makes(own, "below");
        holder.creates(below, "deep");

        assertThat(other.lookup(own, "f49").getAttributes().getInode()).isEqualTo(file);
        assertThat(holder.ground.isOwn(own)).isFalse();
        assertThat(holder.ground.isOwn(below)).as("nobody has asked for that").isTrue();
        holder.creates(below, "later");
        assertThat(other.lookup(below, "later").getFound()).isTrue();
        assertThat(other.lookup(below, "never").getFound()).isFalse();
        other.create(own, "theirs");
        assertThat(holder.client.lookup(own, "theirs").getFound()).isTrue();
    }

    @Test
    void aCacheAsksTheLeaderFirst() {
        MetaServerDaemon cache = farm.start("ms2", true);
        TestFarm.awaitRole(cache, "cache");
        Holder holder = new Holder(farm, leader, 7);
        TestClient reader = new TestClient(farm, cache, 8).renewing();
        long own = holder.makesOwn(1, "own");
        long file = holder.creates(own, "f");
        assertThat(reader.lookup(1, "own").getAttributes().getNlink()).isEqualTo(2);
        assertThat(reader.lookup(own, "f").getAttributes().getInode()).isEqualTo(file);
        assertThat(reader.lookup(own, "g").getFound()).isFalse();
    }

    /** As NFS and open_by_handle_at(2) do, at once on another host. */
    @Test
    void whoKnowsNothingButANumberFindsWhatWasMadeInThisMoment() {
        MetaServerDaemon cache = farm.start("ms2", true);
        TestFarm.awaitRole(cache, "cache");
        Holder holder = new Holder(farm, leader, 7);
        TestClient reader = new TestClient(farm, cache, 8).renewing();
        TestClient other = TestClient.as("mount", farm, leader, 8).renewing();
        long own = holder.makesOwn(1, "own");
        long below = holder.makes(own, "below");
        long file = holder.creates(below, "f");
        for (long number : List.of(file, below)) {
            other.call(
                    MetadataMethods.FIND_NUMBER,
                    FindNumberRequest.newBuilder().setSession(8).setInode(number).build());
            assertThat(attributes(reader, number).getInode()).isEqualTo(number);
        }
        long made = holder.creates(own, "g");
        other.call(
                MetadataMethods.FIND_NUMBER,
                FindNumberRequest.newBuilder().setSession(8).setInode(made + 1).build());
        assertThatThrownBy(() -> attributes(reader, made + 1))
                .as("of a number that nobody has given to anything")
                .hasMessageContaining(Long.toHexString(made + 1));
    }

    /** Whoever has a mount's certificate may say what he likes. */
    @Test
    void numbersThatWereNotSetAsideMakeNothing() {
        Holder holder = new Holder(farm, leader, 7);
        long own = holder.makesOwn(1, "own");
        long there = holder.creates(own, "there");
        holder.ships(1).join();
        holder.creates(own, "f");
        ShippedCommand good = holder.unshipped.getFirst();
        for (long number : List.of(0L, -1L, Long.MIN_VALUE, 1L, own, there, 1L << 40)) {
            ShipReply reply =
                    holder.client.call(
                            MetadataMethods.SHIP,
                            holder.shipment(List.of(good.toBuilder().setInode(number).build())));
            assertThat(reply.getRefusal())
                    .as("number %d", number)
                    .isEqualTo(ErrorKind.INVALID.number());
        }
        assertThat(holder.client.lookup(own, "f").getFound()).isFalse();
        assertThat(
                        holder.client
                                .call(MetadataMethods.SHIP, holder.shipment(List.of(good)))
                                .getDone())
                .isEqualTo(1);
        assertThat(holder.client.lookup(own, "f").getFound()).isTrue();
    }

    private static Attributes attributes(TestClient client, long inode) {
        return client.call(
                        MetadataMethods.GET_ATTRIBUTES,
                        GetAttributesRequest.newBuilder()
                                .setSession(client.session)
                                .setInode(inode)
                                .build())
                .getAttributes();
    }

    @Test
    void whatIsShippedTwiceIsDoneOnce() {
        Holder holder = new Holder(farm, leader, 7);
        long own = holder.makesOwn(1, "own");
        for (int i = 0; i < 5; i++) holder.creates(own, "f" + i);
        ShipRequest shipment = holder.shipment(holder.unshipped);
        ShipReply first = holder.client.call(MetadataMethods.SHIP, shipment);
        ShipReply second = holder.client.call(MetadataMethods.SHIP, shipment);
        assertThat(first.getDone()).isEqualTo(5);
        assertThat(second).isEqualTo(first);
    }

    /** As the next process of a mount does, of which the kernel wants an answer once more. */
    @Test
    void whatWasShippedAndIsAskedOnceMoreIsAnsweredInFull() {
        Holder holder = new Holder(farm, leader, 7);
        long own = holder.makesOwn(1, "own");
        holder.creates(own, "f");
        holder.makes(own, "below");
        List<ShippedCommand> decided = List.copyOf(holder.unshipped);
        TestFarm.get(holder.ships(decided.size()));
        for (ShippedCommand one : decided) {
            MutateReply again = holder.client.call(MetadataMethods.MUTATE, one.getRequest());
            assertThat(ShippedAnswers.digest(one.getRequest(), again)).isEqualTo(one.getDigest());
        }
    }

    @Test
    void theNextLeaderWaitsForTheSessionAndForWhatItHasDecided() {
        MetaServerDaemon next = farm.start("ms2", true);
        TestFarm.awaitRole(next, "cache");
        Holder holder = new Holder(farm, leader, 7);
        long own = holder.makesOwn(1, "own");
        for (int i = 0; i < 10; i++) holder.creates(own, "f" + i);
        ShipRequest half = holder.shipment(holder.unshipped.subList(0, 5));
        holder.client.call(MetadataMethods.SHIP, half);

        farm.stop(leader);
        TestFarm.awaitRole(next, "leader");
        TestClient other = new TestClient(farm, next, 8).renewing();
        CompletableFuture<LookupReply> asked =
                other.start(
                        MetadataMethods.LOOKUP,
                        LookupRequest.newBuilder()
                                .setSession(8)
                                .setParent(own)
                                .setName(TestFarm.name("f9"))
                                .build());
        holder.comesTo(farm, next); // ships all of it once more
        assertThat(TestFarm.get(asked).getFound()).isTrue();
        for (int i = 0; i < 10; i++) assertThat(other.lookup(own, "f" + i).getFound()).isTrue();
    }

    @Test
    void aSessionThatEndsTakesAlongWhatItHadNotShipped() {
        Holder holder = new Holder(farm, leader, 7);
        TestClient other = new TestClient(farm, leader, 8).renewing();
        long own = holder.makesOwn(1, "own");
        holder.creates(own, "shipped");
        TestFarm.get(holder.ships(1));
        holder.creates(own, "lost");
        holder.client.call(
                MetadataMethods.CLOSE_SESSION,
                CloseSessionRequest.newBuilder().setSession(7).build());
        assertThat(other.lookup(own, "shipped").getFound()).isTrue();
        assertThat(other.lookup(own, "lost").getFound()).isFalse();
    }

    @Test
    void whatTheLeaderChangesThereItselfIsGivenBackFirst() {
        Holder holder = new Holder(farm, leader, 7);
        long own = holder.makesOwn(1, "own");
        long file = holder.creates(own, "f");
        TestFarm.get(holder.ships(1)); // nothing is asked about what is not shipped
        holder.creates(own, "g");
        MutateReply linked =
                holder.client.call(
                        MetadataMethods.MUTATE,
                        holder.client
                                .command()
                                .setLink(
                                        MakeLink.newBuilder()
                                                .setInode(file)
                                                .setParent(own)
                                                .setName(TestFarm.name("second")))
                                .build());
        assertThat(linked.getAttributes().getNlink()).isEqualTo(2);
        assertThat(holder.ground.isOwn(own)).isFalse();
        assertThat(holder.unshipped).isEmpty();
        assertThat(holder.client.lookup(own, "g").getFound()).isTrue();
    }

    @Test
    void nothingIsShippedIntoWhatIsNotOnesOwn() {
        Holder holder = new Holder(farm, leader, 7);
        Holder other = new Holder(farm, leader, 9);
        long own = holder.makesOwn(1, "own");
        other.makesOwn(1, "elsewhere");
        holder.creates(own, "f");
        ShippedCommand command = holder.unshipped.getFirst();
        ShipReply reply =
                other.client.call(
                        MetadataMethods.SHIP,
                        other.shipment(
                                List.of(
                                        command.toBuilder()
                                                .setRequest(
                                                        command.getRequest().toBuilder()
                                                                .setSession(9)
                                                                .setSequence(100))
                                                .build())));
        assertThat(reply.getDone()).isZero();
        assertThat(reply.getRefusal()).isEqualTo(ErrorKind.NOT_PERMITTED.number());
    }

    @Test
    void onlyAMountIsGivenADirectoryAndNobodyWhereThereAreQuotas() {
        TestClient alice = new TestClient(farm, leader, 8).renewing();
        assertThat(wishing(alice, "hers").hasDelegation()).isFalse();
        TestClient mount = TestClient.as("mount", farm, leader, 7).renewing();
        assertThat(wishing(mount, "first").hasDelegation()).isTrue();
        alice.call(
                MetadataMethods.ADMIN,
                AdminRequest.newBuilder()
                        .setCommand("quota-set")
                        .putArguments("kind", "user")
                        .putArguments("name", "1000")
                        .putArguments("inodes-hard", "10")
                        .build());
        assertThat(wishing(mount, "second").hasDelegation()).isFalse();
    }

    private static MutateReply wishing(TestClient client, String name) {
        return client.call(
                MetadataMethods.MUTATE,
                client.command()
                        .setMkdir(
                                TestClient.directory(1, name).toBuilder()
                                        .setDelegate(true)
                                        .setNumbers(1))
                        .build());
    }

    // ---- what administrators see and do

    @Test
    void administratorsSeeWhoDecidesWhere() {
        TestClient alice = new TestClient(farm, leader, 8).renewing();
        assertThat(administration(alice, "delegations")).contains("'total':0", "'sessions':[]");
        Holder holder = new Holder(farm, leader, 7);
        long own = holder.makesOwn(1, "own");
        holder.makes(own, "below");
        holder.creates(own, "f");
        TestFarm.get(holder.ships(2));

        assertThat(administration(alice, "delegations", "paths", "yes"))
                .contains("'total':2", "'session':'7'", "'who':'/O=Test/CN=mount'")
                .contains("'client':'test'", "'from':'127.0.0.1:", "'directories':2")
                .contains("'commands':2,'commands_wrong':0", "'asked_back':0,'asked_back_ms':0")
                .contains("'paths':['/own','/own/below']");
        assertThat(administration(alice, "delegations")).doesNotContain("'paths'");

        TestClient bob = TestClient.as("bob", farm, leader, 9).renewing();
        for (String command : List.of("delegations", "delegations-return")) {
            assertThatThrownBy(() -> administration(bob, command))
                    .hasFieldOrPropertyWithValue("kind", ErrorKind.NOT_PERMITTED);
        }
        assertThat(holder.ground.isOwn(own)).isTrue();
    }

    /** Also what the leader does not know of before it is given back. */
    @Test
    void administratorsHaveThemGivenBack() {
        TestClient alice = new TestClient(farm, leader, 8).renewing();
        Holder holder = new Holder(farm, leader, 7);
        long first = holder.makesOwn(1, "first");
        long below = holder.makes(first, "below");
        long deep = holder.makes(below, "deep");
        long second = holder.makesOwn(1, "second");
        long third = holder.makes(second, "third");
        String back = "delegations-return";

        assertThatThrownBy(() -> administration(alice, back, "path", "/none/of/them"))
                .hasFieldOrPropertyWithValue("kind", ErrorKind.NOT_FOUND);
        assertThat(holder.ground.isOwn(first)).isTrue();
        assertThat(administration(alice, back, "path", "/first/below"))
                .contains("'returned':3", "'left':0");
        assertThat(List.of(first, below, deep)).noneMatch(holder.ground::isOwn);
        assertThat(List.of(second, third)).allMatch(holder.ground::isOwn);
        assertThat(administration(alice, back)).contains("'returned':2", "'left':0");
        assertThat(holder.ground.isEmpty()).isTrue();
        assertThat(administration(alice, "delegations")).contains("'total':0");
        assertThat(administration(alice, back)).contains("'returned':0", "'left':0");
        TestFarm.await("counted", () -> figures().recalled() == 5);
    }

    @Test
    void whoDoesNotGiveBackIsToldOfAndLosesItWithItsLease() {
        TestClient alice = new TestClient(farm, leader, 8).renewing();
        Holder holder = new Holder(farm, leader, 7);
        long own = holder.makesOwn(1, "own");
        holder.makes(own, "below");
        TestFarm.get(holder.ships(1));
        holder.client.holdRecalls(new CompletableFuture<>());
        CompletableFuture<LookupReply> asked = alice.start(MetadataMethods.LOOKUP, look(own));
        TestFarm.await("asked", () -> administration(alice, "delegations").contains("_back':1"));
        List<ClusterStatusReply> told = new ArrayList<>();
        TestFarm.await(
                "overdue",
                () -> {
                    told.add(status(alice));
                    return told.getLast().getDelegationsOverdue() == 1;
                });
        assertThat(told.getLast().getDelegations()).isEqualTo(2);
        assertThat(told.getLast().getDelegationsWaitMillis()).isGreaterThanOrEqualTo(2000);

        assertThat(TestFarm.get(asked).getFound()).isFalse();
        assertThat(status(alice).getDelegationsOverdue()).isZero();
        assertThat(status(alice).getDelegationsWaitMillis()).isZero();
        assertThat(status(alice).getDelegations()).isZero();
        TestFarm.await("counted", () -> figures().evicted() == 2);
    }

    private static LookupRequest look(long directory) {
        return LookupRequest.newBuilder()
                .setSession(8)
                .setParent(directory)
                .setName(TestFarm.name("f"))
                .build();
    }

    @Test
    void whatComesToSomethingElseIsCountedOnce() {
        TestClient alice = new TestClient(farm, leader, 8).renewing();
        Holder holder = new Holder(farm, leader, 7);
        long own = holder.makesOwn(1, "own");
        holder.creates(own, "f");
        holder.creates(own, "g");
        ShippedCommand right = holder.unshipped.get(0);
        ShippedCommand wrong = holder.unshipped.get(1);
        ShipRequest shipment =
                holder.shipment(
                        List.of(right, wrong.toBuilder().setDigest(~wrong.getDigest()).build()));
        for (int time = 0; time < 2; time++) {
            ShipReply reply = holder.client.call(MetadataMethods.SHIP, shipment);
            assertThat(reply.getDifferentList()).containsExactly(1);
        }
        holder.client.call(MetadataMethods.SHIP, holder.shipment(List.of(refused(holder, right))));
        assertThat(status(alice).getCommandsDifferent()).isEqualTo(1);
        assertThat(status(alice).getCommandsRefused()).isEqualTo(1);
        assertThat(administration(alice, "delegations"))
                .contains("'commands':3,'commands_wrong':2");

        SimpleMeterRegistry metrics = new SimpleMeterRegistry();
        MetaServerMeters.register(metrics, leader.server());
        TestFarm.await("figures", () -> figures().shipments() == 3);
        assertThat(metrics.get("gf.delegations").gauge().value()).isEqualTo(1);
        assertThat(metrics.get("gf.delegations.shipments").functionCounter().count()).isEqualTo(3);
        for (String result : List.of("same", "different", "refused")) {
            assertThat(
                            metrics.get("gf.delegations.commands")
                                    .tag("result", result)
                                    .functionCounter()
                                    .count())
                    .as(result)
                    .isEqualTo(1);
        }
    }

    /** What the leader would not do. */
    private static ShippedCommand refused(Holder holder, ShippedCommand creating) {
        return creating.toBuilder()
                .setInode(creating.getInode() + 50)
                .setRequest(
                        creating.getRequest().toBuilder()
                                .setSequence(holder.client.command().getSequence()))
                .build();
    }

    /** As it was counted last, once in a second. */
    private DelegationFigures figures() {
        return leader.server().figures().delegations();
    }

    private static ClusterStatusReply status(TestClient client) {
        return client.call(
                MetadataMethods.CLUSTER_STATUS, ClusterStatusRequest.getDefaultInstance());
    }

    /** The document, in which ' stands for ". */
    private static String administration(TestClient client, String command, String... argument) {
        AdminRequest.Builder request = AdminRequest.newBuilder().setCommand(command);
        if (argument.length > 0) request.putArguments(argument[0], argument[1]);
        return client.call(MetadataMethods.ADMIN, request.build()).getJson().replace('"', '\'');
    }
}

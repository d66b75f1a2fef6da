package org.gridfarm.metaserver.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.namespace.own.OwnGround;
import org.gridfarm.namespace.own.Verdict;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.DataRecall;
import org.gridfarm.protocol.wire.MutateReply;
import org.gridfarm.protocol.wire.MutateRequest;
import org.gridfarm.protocol.wire.RecallRequest;
import org.gridfarm.protocol.wire.ShipReply;
import org.gridfarm.protocol.wire.ShipRequest;
import org.gridfarm.protocol.wire.ShippedCommand;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A mount that ships when it is told to, or when a directory is recalled. */
final class Holder {
    final OwnGround ground = new OwnGround();
    final List<ShippedCommand> unshipped = new ArrayList<>();
    TestClient client;

    Holder(TestFarm farm, MetaServerDaemon server, long session) {
        client = TestClient.as("mount", farm, server, session).renewing();
        client.beforeAnswers(this::recalled);
    }

    /** Goes on at another leader. */
    void comesTo(TestFarm farm, MetaServerDaemon server) {
        client = TestClient.as("mount", farm, server, client.session).renewing();
        client.beforeAnswers(this::recalled);
    }

    long makesOwn(long parent, String name) {
        MutateReply reply =
                client.call(
                        MetadataMethods.MUTATE,
                        client.command()
                                .setMkdir(
                                        TestClient.directory(parent, name).toBuilder()
                                                .setDelegate(true)
                                                .setNumbers(100))
                                .build());
        assertThat(reply.hasDelegation()).isTrue();
        synchronized (this) {
            ground.add(reply.getDelegation());
        }
        return reply.getAttributes().getInode();
    }

    /** Answers by itself. */
    synchronized long creates(long directory, String name) {
        return done(client.creating(directory, name));
    }

    synchronized boolean isOwn(long directory) {
        return ground.isOwn(directory);
    }

    /** Whatever it is, by itself. */
    synchronized long does(MutateRequest request) {
        return done(request);
    }

    synchronized long makes(long directory, String name) {
        return done(client.command().setMkdir(TestClient.directory(directory, name)).build());
    }

    private long done(MutateRequest request) {
        Verdict verdict =
                ground.decide(
                        request,
                        Credentials.getDefaultInstance(),
                        System.currentTimeMillis() * 1_000_000,
                        inode -> false);
        assertThat(verdict).isInstanceOf(Verdict.Done.class);
        Verdict.Done done = (Verdict.Done) verdict;
        unshipped.add(done.command());
        return done.reply().getAttributes().getInode();
    }

    synchronized CompletableFuture<ShipReply> ships(int most) {
        List<ShippedCommand> first =
                List.copyOf(unshipped.subList(0, Math.min(most, unshipped.size())));
        return client.start(MetadataMethods.SHIP, shipment(first))
                .thenApply(reply -> {
                    assertThat(reply.getReason()).isEmpty();
                    assertThat(reply.getDone()).isEqualTo(first.size());
                    assertThat(reply.getDifferentList()).isEmpty();
                    synchronized (this) {
                        unshipped.removeAll(first); // a recall may have shipped them, too
                    }
                    return reply;
                });
    }

    ShipRequest shipment(List<ShippedCommand> commands) {
        return ShipRequest.newBuilder().setSession(client.session).addAllCommands(commands).build();
    }

    private CompletableFuture<?> recalled(RecallRequest recall) {
        return ships(Integer.MAX_VALUE)
                .thenRun(() -> {
                    synchronized (this) {
                        recall.getDataList().stream()
                                .filter(DataRecall::getDelegation)
                                .forEach(data -> ground.giveBack(data.getInode()));
                    }
                });
    }
}

package org.gridfarm.metaserver.server.nodes;

import com.google.protobuf.ByteString;

import org.gridfarm.metaserver.server.state.Caller;
import org.gridfarm.metaserver.server.state.Callers;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.HandlerTable;
import org.gridfarm.metaserver.server.state.Layouts;
import org.gridfarm.metaserver.server.state.LeaderContext;
import org.gridfarm.metaserver.server.state.NodeLink;
import org.gridfarm.metaserver.server.state.Reach;
import org.gridfarm.metaserver.server.state.ServerLimits;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.gridfarm.protocol.wire.ReplicaState;
import org.gridfarm.protocol.wire.SumOfReplica;
import org.gridfarm.protocol.wire.SumReply;
import org.gridfarm.protocol.wire.SumRequest;
import org.gridfarm.protocol.wire.VerifyObjectReply;
import org.gridfarm.protocol.wire.VerifyObjectRequest;
import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Digests of whole files, made by the nodes that hold them: SHA-256 over the size and the CRC32C of
 * each block, of a striped file over the digests of its objects. Kept with the inode until the
 * content changes. Event thread.
 */
public final class SumService {
    private final FarmState state;
    private final Reach reach;
    private final LeaderContext leader;

    /** Replicas that are being read, by who has asked. */
    private final Map<String, Integer> underWay = new HashMap<>();

    public SumService(FarmState state, Reach reach, LeaderContext leader) {
        this.reach = reach;
        this.state = state;
        this.leader = leader;
    }

    public void register(HandlerTable table) {
        table.on(MetadataMethods.SUM, this::sum);
    }

    private void sum(Exchange<SumRequest, SumReply> exchange) {
        Caller caller = Callers.of(exchange);
        SumRequest request = exchange.request();
        var who = caller.actingAs(request.hasCredentials(), request.getCredentials());
        reach.require(caller, who, request.getInode(), "sum");
        state.requireAccess(who, request.getInode(), 4, "sum");
        InodeImage image = state.image(request.getInode());
        if (state.namespace().content(image.getInode()) == null) {
            throw new FarmException(
                    ErrorKind.INVALID, "sum", state.path(image.getInode()), "not a regular file");
        }
        if (state.writing(image.getInode()) != null) {
            throw new FarmException(
                    ErrorKind.BUSY, "sum", state.path(image.getInode()), "it is open for writing");
        }
        if (!request.getVerify() && !image.getDigest().isEmpty()) {
            SumReply known = SumReply.newBuilder().setDigest(image.getDigest()).build();
            leader.afterAllSoFar(() -> exchange.reply(known));
            return;
        }
        String dn = caller.identity().dn();
        if (underWay.getOrDefault(dn, 0) >= ServerLimits.SUMMED_EACH_MAX) {
            throw new FarmException(
                    ErrorKind.OVERLOADED,
                    "sum",
                    state.path(image.getInode()),
                    underWay.get(dn) + " replicas are being read for you already");
        }
        new Asked(exchange, image, dn).ask(request.getVerify());
    }

    /** Replicas being read; the answers are gathered until each has come or failed. */
    private final class Asked {
        final Exchange<SumRequest, SumReply> exchange;
        final InodeImage image;
        final String dn;
        final List<SumOfReplica> answers = new ArrayList<>();
        int outstanding = 1;

        Asked(Exchange<SumRequest, SumReply> exchange, InodeImage image, String dn) {
            this.dn = dn;
            this.exchange = exchange;
            this.image = image;
        }

        void ask(boolean all) {
            for (int stripe = 0; stripe < Math.max(1, image.getStripeCount()); stripe++) {
                List<String> holders = new ArrayList<>();
                List<ReplicaImage> rows =
                        state.rows(image.getInode(), stripe, image.getGeneration());
                for (ReplicaImage row : rows) {
                    if (row.getState() != ReplicaState.VALID) continue;
                    if (state.isReadable(row.getNode())) holders.add(row.getNode());
                    else if (all) failed(stripe, row.getNode(), "it cannot be reached");
                }
                if (holders.isEmpty() && !rows.isEmpty()) {
                    throw new FarmException(
                            ErrorKind.DATA_UNAVAILABLE,
                            "sum",
                            state.path(image.getInode()),
                            "no good replica can be read now");
                }
                for (String node :
                        all ? holders : holders.subList(0, Math.min(1, holders.size()))) {
                    ask(stripe, node);
                }
            }
            settled();
        }

        private void ask(int stripe, String node) {
            NodeLink link = leader.node(node);
            if (link == null) {
                failed(stripe, node, "it cannot be reached");
                return;
            }
            outstanding++;
            underWay.merge(dn, 1, Integer::sum);
            link.call(
                    StorageMethods.VERIFY_OBJECT,
                    VerifyObjectRequest.newBuilder()
                            .setObject(
                                    Layouts.object(image.getInode(), stripe, image.getGeneration()))
                            .build(),
                    ServerLimits.COPY_DEADLINE,
                    (reply, failure) -> answered(stripe, node, reply, failure));
        }

        private void failed(int stripe, String node, String why) {
            answers.add(
                    SumOfReplica.newBuilder()
                            .setStripe(stripe)
                            .setNode(node)
                            .setFailure(why)
                            .build());
        }

        private void answered(
                int stripe,
                String node,
                @Nullable VerifyObjectReply reply,
                @Nullable FarmException failure) {
            underWay.computeIfPresent(dn, (who, count) -> count == 1 ? null : count - 1);
            if (failure != null) {
                failed(stripe, node, failure.getMessage());
            } else if (reply == null || !reply.getPresent()) {
                failed(stripe, node, "the replica is not there");
            } else {
                answers.add(
                        SumOfReplica.newBuilder()
                                .setStripe(stripe)
                                .setNode(node)
                                .setDigest(reply.getDigest())
                                .addAllBadBlocks(reply.getBadBlocksList())
                                .build());
            }
            settled();
        }

        private void settled() {
            if (--outstanding > 0) return;
            TreeMap<Integer, ByteString> good = new TreeMap<>();
            boolean known = !image.getDigest().isEmpty() && isUnchanged();
            if (known && image.getStripeCount() <= 1) good.put(0, image.getDigest());
            for (SumOfReplica answer : answers) {
                if (isWell(answer)) good.putIfAbsent(answer.getStripe(), answer.getDigest());
            }
            // Copies that are alike are not right for that: somebody may have changed bytes and
            // sums.
            boolean other = known && isComplete(good) && !image.getDigest().equals(whole(good));
            List<SumOfReplica> judged = new ArrayList<>();
            for (SumOfReplica answer : answers) {
                boolean alike = answer.getDigest().equals(good.get(answer.getStripe()));
                boolean differs = isWell(answer) && (other || !alike);
                judged.add(answer.toBuilder().setDiffers(differs).build());
            }
            SumReply.Builder reply = SumReply.newBuilder().addAllReplicas(judged);
            if (isComplete(good)) {
                ByteString digest = whole(good);
                reply.setDigest(digest);
                if (!other) keep(digest);
            } else if (judged.isEmpty() || exchange.request().getVerify()) {
                // what is known is told, replica by replica
                reply.clearDigest();
            } else {
                exchange.fail(
                        new FarmException(
                                ErrorKind.CORRUPT,
                                "sum",
                                state.exists(image.getInode()) ? state.path(image.getInode()) : "",
                                "the replica asked is bad; --verify reads the others, too"));
                return;
            }
            leader.afterAllSoFar(() -> exchange.reply(reply.build()));
        }

        private static boolean isWell(SumOfReplica answer) {
            return answer.getFailure().isEmpty() && answer.getBadBlocksCount() == 0;
        }

        /** Nobody has written, or writes, since it was asked. */
        private boolean isUnchanged() {
            long inode = image.getInode();
            return state.exists(inode)
                    && state.writing(inode) == null
                    && state.image(inode).getVersion() == image.getVersion();
        }

        /** A stripe that was never written to has no object. */
        private boolean isComplete(TreeMap<Integer, ByteString> good) {
            for (SumOfReplica answer : answers) {
                if (!good.containsKey(answer.getStripe())) return false;
            }
            return true;
        }

        private ByteString whole(TreeMap<Integer, ByteString> good) {
            int stripes = Math.max(1, image.getStripeCount());
            ByteString empty = sha256(ByteString.copyFrom(ByteBuffer.allocate(8)));
            ByteString all = ByteString.EMPTY;
            for (int stripe = 0; stripe < stripes; stripe++) {
                all = all.concat(good.getOrDefault(stripe, empty));
            }
            return stripes == 1 ? all : sha256(all);
        }

        private void keep(ByteString digest) {
            if (!isUnchanged()) return;
            InodeImage now = state.image(image.getInode());
            if (now.getDigest().equals(digest)) return;
            InodeImage kept = now.toBuilder().setDigest(digest).build();
            leader.change(List.of(Change.newBuilder().setInode(kept).build()), 0);
        }
    }

    private static ByteString sha256(ByteString bytes) {
        try {
            return ByteString.copyFrom(
                    MessageDigest.getInstance("SHA-256").digest(bytes.toByteArray()));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}

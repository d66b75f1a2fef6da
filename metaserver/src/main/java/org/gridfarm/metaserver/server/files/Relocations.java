package org.gridfarm.metaserver.server.files;

import org.gridfarm.metaserver.replica.Writing;
import org.gridfarm.metaserver.server.nodes.ChainChoice;
import org.gridfarm.metaserver.server.nodes.NodeService;
import org.gridfarm.metaserver.server.state.Caller;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.Layouts;
import org.gridfarm.metaserver.server.state.LeaderContext;
import org.gridfarm.metaserver.server.state.NodeLink;
import org.gridfarm.metaserver.server.state.ServerLimits;
import org.gridfarm.metaserver.session.OpenFiles;
import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.ChainFailureRequest;
import org.gridfarm.protocol.wire.ChainMember;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.ReplicateObjectReply;
import org.gridfarm.protocol.wire.ReplicateObjectRequest;
import org.gridfarm.protocol.wire.WritingChain;
import org.gridfarm.protocol.wire.WritingImage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Moves an object that is being written from nodes that are full, all of them, to others: what was
 * written so far is copied there while its writer waits, who then goes on with the new chain. Where
 * no node has room the writer is told so. Event thread.
 *
 * <p>Only for one writing session: it sends nothing meanwhile, so the copy is whole. With several,
 * the refusal of the full node stands.
 */
public final class Relocations {
    private static final Logger log = LoggerFactory.getLogger(Relocations.class);

    private final FarmState state;
    private final OpenFiles opens;
    private final ChainChoice choice;
    private final NodeService nodes;
    private final LeaderContext leader;
    private final Map<ObjectId, Move> moves = new HashMap<>();

    public Relocations(
            FarmState state,
            OpenFiles opens,
            ChainChoice choice,
            NodeService nodes,
            LeaderContext leader) {
        this.state = state;
        this.opens = opens;
        this.choice = choice;
        this.nodes = nodes;
        this.leader = leader;
    }

    /** Nobody else begins to write to it meanwhile. */
    public boolean isMoving(long inode) {
        return moves.keySet().stream().anyMatch(object -> object.getInode() == inode);
    }

    /** Whether the report means that every node of the chain is full. */
    boolean isFor(ChainFailureRequest request) {
        WritingChain chain = chain(request.getInode(), request.getStripe());
        return request.getFull()
                && chain != null
                && request.getFailedNodesList().containsAll(chain.getNodesList());
    }

    private @Nullable WritingChain chain(long inode, int stripe) {
        WritingImage writing = state.writing(inode);
        if (writing == null) return null;
        for (WritingChain chain : writing.getChainsList()) {
            if (chain.getStripe() == stripe) return chain;
        }
        return null;
    }

    /** Asked again for a move under way, it waits for that one. */
    void start(
            Caller caller,
            ChainFailureRequest request,
            Runnable moved,
            Consumer<FarmException> refused) {
        OpenFiles.Handle handle = opens.find(request.getHandle());
        if (handle == null
                || handle.session() != caller.session()
                || handle.inode() != request.getInode()) {
            throw new FarmException(
                    ErrorKind.BAD_HANDLE, "chain", Long.toHexString(request.getHandle()));
        }
        if (!handle.write()) {
            throw new FarmException(
                    ErrorKind.ACCESS_DENIED,
                    "chain",
                    Long.toHexString(request.getHandle()),
                    "only who writes moves what is written");
        }
        long inode = handle.inode();
        boolean shared =
                opens.handles(inode).stream()
                        .anyMatch(h -> h.write() && h.session() != caller.session());
        WritingChain chain = chain(inode, request.getStripe());
        if (shared || chain == null) {
            throw new FarmException(
                    ErrorKind.NO_SPACE,
                    "write",
                    state.path(inode),
                    "its nodes are full, and others write to it, too");
        }
        InodeImage image = state.image(inode);
        ObjectId object = Layouts.object(inode, request.getStripe(), image.getGeneration());
        Move known = moves.get(object);
        Move move = known == null ? new Move(caller, object, image, chain, request) : known;
        move.waiting.add(new Waiting(moved, refused));
        if (known == null) {
            moves.put(object, move);
            move.attempt();
        }
    }

    private record Waiting(Runnable moved, Consumer<FarmException> refused) {}

    /** One object on its way; several targets at once, and others for those that fail. */
    private final class Move {
        final Caller caller;
        final ObjectId object;
        final InodeImage image;
        final WritingChain from;
        final boolean written;
        final List<Waiting> waiting = new ArrayList<>();
        final Set<String> excluded;
        final List<String> made = new ArrayList<>();
        boolean absent;
        int outstanding;

        Move(
                Caller caller,
                ObjectId object,
                InodeImage image,
                WritingChain from,
                ChainFailureRequest request) {
            this.written = request.getWritten();
            this.caller = caller;
            this.object = object;
            this.image = image;
            this.from = from;
            this.excluded = new HashSet<>(from.getNodesList());
            this.excluded.addAll(from.getJoiningList());
            this.excluded.addAll(from.getCommittedList());
            this.excluded.addAll(request.getFailedNodesList()); // also those it came from before
        }

        void attempt() {
            List<String> targets;
            try {
                targets =
                        choice.choose(
                                image,
                                object.getStripe(),
                                state.level(image),
                                new ChainChoice.Beside("", excluded),
                                Set.of(),
                                List.of());
            } catch (FarmException e) {
                // space was the reason that brought us here
                end(
                        new FarmException(
                                ErrorKind.NO_SPACE,
                                "write",
                                state.exists(image.getInode()) ? state.path(image.getInode()) : "",
                                "every node that could take it is full"));
                return;
            }
            log.info(
                    "object {}.{} moves from {}, which are full, to {}",
                    Long.toHexString(object.getInode()),
                    object.getStripe(),
                    from.getNodesList(),
                    targets);
            outstanding = 1;
            for (String target : targets) copy(target);
            settled();
        }

        private void copy(String target) {
            NodeLink link = leader.node(target);
            if (link == null || nodes.isDeleting(target, object)) {
                excluded.add(target);
                return;
            }
            ReplicateObjectRequest.Builder request =
                    ReplicateObjectRequest.newBuilder()
                            .setObject(object)
                            .setSize(
                                    image.hasAllocated()
                                            ? Math.min(image.getSize(), image.getAllocated())
                                            : image.getSize());
            for (String source : from.getNodesList()) {
                request.addSources(
                        ChainMember.newBuilder()
                                .setNode(source)
                                .setAddress(state.addressOf(source))
                                .setTicket(nodes.ticket(source, object, false)));
            }
            outstanding++;
            link.call(
                    StorageMethods.REPLICATE_OBJECT,
                    request.build(),
                    ServerLimits.COPY_DEADLINE,
                    (reply, failure) -> copied(target, reply, failure));
        }

        private void copied(
                String target,
                @Nullable ReplicateObjectReply reply,
                @Nullable FarmException failure) {
            if (reply != null) {
                made.add(target);
            } else if (failure != null && failure.kind() == ErrorKind.OBJECT_ABSENT && !written) {
                absent = true; // the first write was refused: there is nothing to copy
                made.add(target);
            } else {
                log.info("moving to {}: {}", target, failure == null ? "" : failure.getMessage());
                excluded.add(target);
            }
            settled();
        }

        private void settled() {
            if (--outstanding > 0) return;
            WritingChain now = chain(object.getInode(), object.getStripe());
            boolean stands =
                    state.exists(object.getInode())
                            && from.equals(now)
                            && state.image(object.getInode()).getGeneration()
                                    == object.getGeneration();
            if (!stands) {
                if (!absent) made.forEach(node -> nodes.deleteLater(node, object));
                end(
                        new FarmException(
                                ErrorKind.WRONG_GENERATION,
                                "write",
                                Long.toHexString(object.getInode()),
                                "the file changed while it was moved"));
            } else if (made.isEmpty()) {
                attempt();
            } else {
                // what was committed at the full nodes is as good at the new ones
                Writing record = Objects.requireNonNull(state.record(object.getInode()));
                leader.change(record.moved(object.getStripe(), made).changes(), caller.session());
                end(null);
            }
        }

        private void end(@Nullable FarmException why) {
            moves.remove(object);
            for (Waiting each : waiting) {
                if (why == null) each.moved().run();
                else each.refused().accept(why);
            }
        }
    }
}

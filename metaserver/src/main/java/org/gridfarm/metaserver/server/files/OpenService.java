package org.gridfarm.metaserver.server.files;

import com.google.protobuf.MessageLite;

import org.gridfarm.metaserver.server.state.Caller;
import org.gridfarm.metaserver.server.state.Callers;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.HandlerTable;
import org.gridfarm.metaserver.server.state.LeaderContext;
import org.gridfarm.metaserver.server.state.Reach;
import org.gridfarm.metaserver.session.OpenFiles;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.wire.ChainFailureRequest;
import org.gridfarm.protocol.wire.CloseRequest;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.Empty;
import org.gridfarm.protocol.wire.FileType;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.OpenReply;
import org.gridfarm.protocol.wire.OpenRequest;
import org.gridfarm.protocol.wire.RefreshRequest;

/** OPEN, CLOSE, CHAIN_FAILURE and REFRESH at the leader. Event thread. */
public final class OpenService {
    private final FarmState state;
    private final FileOpens opens;
    private final Relocations relocations;
    private final ChainFailures failures;
    private final Reach reach;
    private final LeaderContext leader;

    public OpenService(
            FarmState state,
            FileOpens opens,
            Relocations relocations,
            ChainFailures failures,
            Reach reach,
            LeaderContext leader) {
        this.reach = reach;
        this.failures = failures;
        this.state = state;
        this.opens = opens;
        this.relocations = relocations;
        this.leader = leader;
    }

    public void register(HandlerTable table) {
        table.on(MetadataMethods.OPEN, this::open);
        table.on(MetadataMethods.CLOSE, this::close);
        table.on(MetadataMethods.CHAIN_FAILURE, this::chainFailure);
        table.on(MetadataMethods.REFRESH, this::refresh);
    }

    /** A refusal may rest on what is not complete yet, so it waits like an answer. */
    private <Q extends MessageLite, R extends MessageLite> void refuse(
            Exchange<Q, R> exchange, FarmException refused) {
        leader.afterAllSoFar(() -> exchange.fail(refused));
    }

    private void open(Exchange<OpenRequest, OpenReply> exchange) {
        Caller caller = Callers.live(exchange, leader);
        OpenRequest wish = exchange.request();
        Credentials who = caller.actingAs(wish.hasCredentials(), wish.getCredentials());
        try {
            InodeImage image = state.image(wish.getInode());
            if (image.getType() != FileType.REGULAR) {
                throw new FarmException(
                        image.getType() == FileType.DIRECTORY
                                ? ErrorKind.IS_A_DIRECTORY
                                : ErrorKind.INVALID,
                        "open",
                        Long.toHexString(wish.getInode()));
            }
            reach.require(caller, who, wish.getInode(), "open");
            state.requireAccess(who, wish.getInode(), rights(caller, wish), "open");
            opens.open(
                    caller,
                    who,
                    wish.getInode(),
                    wish,
                    () ->
                            told(
                                    exchange,
                                    caller,
                                    wish.getHandle(),
                                    () -> opens.close(caller.session(), wish.getHandle(), true)));
        } catch (FarmException e) {
            refuse(exchange, e);
        }
    }

    /**
     * Running a program takes no right to read it where a kernel reads it and keeps it from whoever
     * runs it. A user's own client is in the hands of that user.
     */
    private static int rights(Caller caller, OpenRequest wish) {
        boolean runs = wish.getExecute() && !wish.getWrite() && caller.speaksForOthers();
        return (wish.getRead() && !runs ? 4 : 0)
                | (wish.getWrite() ? 2 : 0)
                | (wish.getExecute() ? 1 : 0);
    }

    private <Q extends MessageLite> void told(
            Exchange<Q, OpenReply> exchange, Caller caller, long handle) {
        told(exchange, caller, handle, () -> {});
    }

    /**
     * As it is when it is sent.
     *
     * @param refused runs first where that cannot be told for want of a replica
     */
    private <Q extends MessageLite> void told(
            Exchange<Q, OpenReply> exchange, Caller caller, long handle, Runnable refused) {
        leader.afterAllSoFar(() -> {
            try {
                exchange.reply(opens.reply(caller, handle));
            } catch (FarmException e) {
                refused.run();
                exchange.fail(e);
            }
        });
    }

    private void close(Exchange<CloseRequest, Empty> exchange) {
        Caller caller = Callers.of(exchange);
        boolean changed = false;
        for (long handle : exchange.request().getHandlesList()) {
            changed |= opens.close(caller.session(), handle, true);
        }
        for (long handle : exchange.request().getUnsettledList()) {
            changed |= opens.close(caller.session(), handle, false);
        }
        Runnable answer = () -> exchange.reply(Empty.getDefaultInstance());
        if (changed) leader.afterCompletion(leader.openSequence(), answer);
        else answer.run();
    }

    private void chainFailure(Exchange<ChainFailureRequest, OpenReply> exchange) {
        Caller caller = Callers.live(exchange, leader);
        ChainFailureRequest request = exchange.request();
        try {
            if (relocations.isFor(request)) {
                relocations.start(
                        caller,
                        request,
                        () -> told(exchange, caller, request.getHandle()),
                        why -> refuse(exchange, why));
                return;
            }
            failures.reported(caller, request);
            told(exchange, caller, request.getHandle());
        } catch (FarmException e) {
            refuse(exchange, e);
        }
    }

    /**
     * Who reads has left no trace in the journal. A mount says truly that it had the file open;
     * others may still open it.
     */
    private void requireReadable(Caller caller, Credentials who, long inode) {
        if (caller.speaksForOthers()) return;
        boolean ownOrphan = state.isOrphan(inode) && state.image(inode).getUid() == who.getUid();
        if (!ownOrphan) reach.require(caller, who, inode, "reclaim");
        state.requireAccess(who, inode, 4, "reclaim");
    }

    private void refresh(Exchange<RefreshRequest, OpenReply> exchange) {
        Caller caller = Callers.live(exchange, leader);
        RefreshRequest request = exchange.request();
        try {
            Credentials who = caller.actingAs(request.hasCredentials(), request.getCredentials());
            OpenFiles.Handle handle = opens.files().find(request.getHandle());
            if (handle != null && handle.session() == caller.session()) {
                if (handle.write()) opens.limit(who, handle.inode(), request.getWantedSize());
                opens.whenOpen(handle.handle(), () -> told(exchange, caller, request.getHandle()));
                return;
            }
            if (!request.getReclaim()) {
                throw new FarmException(
                        ErrorKind.BAD_HANDLE, "refresh", Long.toHexString(request.getHandle()));
            }
            OpenRequest wish =
                    OpenRequest.newBuilder()
                            .setSession(caller.session())
                            .setInode(request.getInode())
                            .setHandle(request.getHandle())
                            .setRead(request.getRead())
                            .setWrite(request.getWrite())
                            .build();
            if (!request.getWrite()) requireReadable(caller, who, request.getInode());
            leader.reclaims();
            opens.reclaim(
                    caller,
                    who,
                    wish,
                    request.getInode(),
                    request.getGeneration(),
                    () -> told(exchange, caller, request.getHandle()));
        } catch (FarmException e) {
            refuse(exchange, e);
        }
    }
}

package org.gridfarm.metaserver.server.files;

import org.gridfarm.metaserver.server.state.Caller;
import org.gridfarm.metaserver.server.state.Callers;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.HandlerTable;
import org.gridfarm.metaserver.server.state.LeaderContext;
import org.gridfarm.metaserver.session.OpenFiles;
import org.gridfarm.metaserver.session.Rivals;
import org.gridfarm.namespace.Namespace;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.DelegateReply;
import org.gridfarm.protocol.wire.DelegateRequest;
import org.gridfarm.protocol.wire.DirectoryDelegation;
import org.gridfarm.protocol.wire.DirentImage;
import org.gridfarm.protocol.wire.FileType;
import org.gridfarm.protocol.wire.WritingImage;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * DELEGATE at the leader: gives a session a directory that was there before, with all that is in
 * it. What others believe of it is recalled by the same batch, so the session hears of it when
 * nobody believes anything any more. Not where others would soon want it back, nor where the
 * session would have to know what lies elsewhere: see {@link #look}. Event thread.
 */
final class ExistingDirectories {
    /** Where it is not to be given for what it is, and not for what others do. */
    private static final Duration PAUSE_LONG = Duration.ofSeconds(30);

    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final FarmState state;
    private final FileOpens opens;
    private final Delegating delegating;
    private final BooleanSupplier cachesRecall;
    private final LeaderContext leader;

    /**
     * @param cachesRecall all caches take from their clients what is delegated after it was known
     */
    ExistingDirectories(
            FarmState state,
            FileOpens opens,
            Delegating delegating,
            BooleanSupplier cachesRecall,
            LeaderContext leader) {
        this.state = state;
        this.opens = opens;
        this.delegating = delegating;
        this.cachesRecall = cachesRecall;
        this.leader = leader;
    }

    void register(HandlerTable table) {
        table.on(MetadataMethods.DELEGATE, this::delegate);
    }

    private void delegate(Exchange<DelegateRequest, DelegateReply> exchange) {
        Caller caller = Callers.live(exchange, leader);
        DelegateRequest request = exchange.request();
        if (request.getSession() != caller.session()) {
            throw new FarmException(ErrorKind.SESSION_ENDED, "delegate", "");
        }
        leader.requireRoom();
        long directory = request.getDirectory();
        long now = state.monotonicNanos();
        Rivals rivals = delegating.rivals();
        long pause = rivals.pauseNanos(directory, caller.session(), now);
        Look look = pause > 0 ? new Look.Not(Duration.ofNanos(pause)) : look(directory, caller);
        switch (look) {
            case Look.Not not -> {
                if (pause == 0) rivals.pause(directory, not.pause, now);
                int millis = (int) not.pause.toMillis() + 1;
                exchange.reply(DelegateReply.newBuilder().setPauseMillis(millis).build());
            }
            case Look.Files files -> {
                DirectoryDelegation given =
                        delegating.takeOver(directory, files.inodes, caller, request.getNumbers());
                leader.afterCompletion(
                        leader.openSequence(), () -> exchange.reply(told(given, caller)));
            }
        }
    }

    /** As all of it stands when it is sent; nothing where it was asked back meanwhile. */
    private DelegateReply told(DirectoryDelegation given, Caller caller) {
        long directory = given.getDirectory();
        if (state.delegations().of(directory) != caller.session()
                || delegating.isAskedBack(directory)) {
            return DelegateReply.newBuilder().setPauseMillis((int) PAUSE.toMillis()).build();
        }
        DirectoryDelegation.Builder told = delegating.told(given, caller).toBuilder();
        Namespace namespace = state.namespace();
        List<Change> entries = new ArrayList<>();
        namespace.exportEntries(directory, entries::add);
        for (Change entry : entries) {
            long inode = entry.getDirent().getInode();
            namespace.exportInode(inode, told::addContent);
            if (opens.files().isOpen(inode) || state.writing(inode) != null) told.addOpen(inode);
        }
        return DelegateReply.newBuilder().setDelegation(told.addAllContent(entries)).build();
    }

    /** What a directory is found to be. */
    private sealed interface Look {
        /** All there is to take from others, beside the directory itself. */
        record Files(List<Long> inodes) implements Look {}

        /** It is not to be delegated; one that is too large stays so for a while. */
        record Not(Duration pause) implements Look {}
    }

    /**
     * Of every file all names are to be in it, since they are given back together; nobody else is
     * to have it open, since what he does there the session would not hear of. Nobody decides about
     * the root alone: everybody's paths begin there.
     */
    private Look look(long directory, Caller caller) {
        Namespace namespace = state.namespace();
        if (directory == Namespace.ROOT
                || !namespace.isDirectory(directory)
                || namespace.isOrphan(directory)
                || state.delegations().of(directory) != 0
                || leader.inGrace()
                || !cachesRecall.getAsBoolean()
                || leader.bounds().hasItsShare(caller.session())
                || !delegating.mayHaveMore(caller)) {
            return new Look.Not(PAUSE);
        }
        Map<Long, Integer> names = new HashMap<>();
        long more =
                namespace.exportEntries(
                        directory,
                        0,
                        MetadataMethods.DELEGATED_ENTRIES_MAX,
                        entry -> {
                            DirentImage name = entry.getDirent();
                            if (name.getType() != FileType.DIRECTORY) {
                                names.merge(name.getInode(), 1, Integer::sum);
                            }
                        });
        if (more != 0) return new Look.Not(PAUSE_LONG);
        for (Map.Entry<Long, Integer> file : names.entrySet()) {
            long inode = file.getKey();
            boolean allHere = state.image(inode).getNlink() == file.getValue();
            if (!allHere || isOthers(inode, caller.session())) return new Look.Not(PAUSE);
        }
        return new Look.Files(List.copyOf(names.keySet()));
    }

    /** Somebody else has it open, or it is still to be brought into order after him. */
    private boolean isOthers(long inode, long session) {
        for (OpenFiles.Handle handle : opens.files().handles(inode)) {
            if (handle.session() != session) return true;
        }
        WritingImage writing = state.writing(inode);
        boolean others =
                writing != null
                        && (writing.getUnsettled()
                                || writing.getWritersList().stream().anyMatch(w -> w != session));
        return others || opens.isInTransit(inode);
    }
}

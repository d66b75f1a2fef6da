package org.gridfarm.metaserver.server;

import com.google.protobuf.MessageLite;

import org.gridfarm.metaserver.server.state.Caller;
import org.gridfarm.metaserver.server.state.Callers;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.HandlerTable;
import org.gridfarm.metaserver.server.state.Layouts;
import org.gridfarm.metaserver.server.state.Reach;
import org.gridfarm.metaserver.server.state.ReadScope;
import org.gridfarm.metaserver.server.state.Tickets.Asker;
import org.gridfarm.namespace.Namespace;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.DirectoryEntry;
import org.gridfarm.protocol.wire.GetAttributesReply;
import org.gridfarm.protocol.wire.GetAttributesRequest;
import org.gridfarm.protocol.wire.GetXattrReply;
import org.gridfarm.protocol.wire.GetXattrRequest;
import org.gridfarm.protocol.wire.ListXattrReply;
import org.gridfarm.protocol.wire.ListXattrRequest;
import org.gridfarm.protocol.wire.LocateReply;
import org.gridfarm.protocol.wire.LocateRequest;
import org.gridfarm.protocol.wire.LookupReply;
import org.gridfarm.protocol.wire.LookupRequest;
import org.gridfarm.protocol.wire.ReadDirectoryReply;
import org.gridfarm.protocol.wire.ReadDirectoryRequest;
import org.gridfarm.protocol.wire.ReadLinkReply;
import org.gridfarm.protocol.wire.ReadLinkRequest;
import org.gridfarm.protocol.wire.ResolveReply;
import org.gridfarm.protocol.wire.ResolveRequest;
import org.gridfarm.protocol.wire.StatFsReply;
import org.gridfarm.protocol.wire.StatFsRequest;
import org.gridfarm.protocol.wire.WritingImage;

import java.util.List;

/**
 * The reads, the same at the leader and at caches. What may be seen when is decided by the runner;
 * here is only what is looked at and what the answer is.
 */
final class Reads {
    /** Entries of one page at most: about 200 KB with attributes. */
    static final int PAGE_ENTRIES_MAX = 1024;

    /** Evaluates a read now or when what it touches is visible, and answers. */
    interface Runner {
        <Q extends MessageLite, R extends MessageLite> void run(
                Exchange<Q, R> exchange, Caller caller, Read<R> read);
    }

    /** One read; may be evaluated twice. */
    interface Read<R> {
        R evaluate(ReadScope scope);
    }

    private interface Body<Q, R> {
        R evaluate(ReadScope scope, Q request, Caller caller);
    }

    /** Has the writers of a file tell what is closed of it. */
    interface Settling {
        /** Asks nobody. */
        Settling NONE = (_, then) -> then.run();

        /** Goes on when all of them have answered. */
        void settle(long inode, Runnable then);
    }

    private final FarmState state;
    private final Layouts layouts;
    private final Runner runner;
    private final Settling settling;
    private final Reach reach;

    Reads(FarmState state, Layouts layouts, Reach reach, Settling settling, Runner runner) {
        this.reach = reach;
        this.state = state;
        this.layouts = layouts;
        this.settling = settling;
        this.runner = runner;
    }

    void register(HandlerTable table) {
        on(table, MetadataMethods.LOOKUP, this::lookup);
        on(table, MetadataMethods.GET_ATTRIBUTES, this::attributes);
        on(table, MetadataMethods.RESOLVE, this::resolve);
        on(table, MetadataMethods.READ_DIRECTORY, this::list);
        on(table, MetadataMethods.READ_LINK, this::readLink);
        on(table, MetadataMethods.GET_XATTR, this::getXattr);
        on(table, MetadataMethods.LIST_XATTR, this::listXattr);
        on(table, MetadataMethods.STAT_FS, this::statFs);
        table.on(MetadataMethods.LOCATE, this::locate);
    }

    private <Q extends MessageLite, R extends MessageLite> void on(
            HandlerTable table, Method<Q, R> method, Body<Q, R> body) {
        table.on(
                method,
                exchange -> {
                    Caller caller = Callers.of(exchange);
                    Q request = exchange.request();
                    runner.run(exchange, caller, scope -> body.evaluate(scope, request, caller));
                });
    }

    private LookupReply lookup(ReadScope scope, LookupRequest q, Caller caller) {
        Credentials who = caller.actingAs(q.hasCredentials(), q.getCredentials());
        scope.readsEntry(q.getParent(), q.getName());
        scope.readsAttributes(q.getParent());
        reach.require(caller, who, q.getParent(), scope::readsAttributes, "lookup");
        Attributes found = state.lookup(who, q.getParent(), q.getName());
        LookupReply.Builder reply = LookupReply.newBuilder();
        if (found != null) {
            scope.readsAttributes(found.getInode());
            reach.found(caller, q.getParent(), q.getName(), found.getInode());
            reply.setFound(true).setAttributes(found);
            reply.setAttributesCacheable(
                    !found.getWriting() && scope.grantAttributes(found.getInode()));
        }
        boolean granted = scope.grantDirectory(q.getParent());
        return reply.setEntryCacheable(granted)
                .setEmpty(granted && found == null && state.isEmptyDirectory(q.getParent()))
                .build();
    }

    private GetAttributesReply attributes(ReadScope scope, GetAttributesRequest q, Caller caller) {
        scope.readsAttributes(q.getInode());
        reach.require(caller, caller.own(), q.getInode(), scope::readsAttributes, "stat");
        Attributes found = state.attributes(q.getInode());
        GetAttributesReply.Builder reply = GetAttributesReply.newBuilder().setAttributes(found);
        if (found.getWriting()) {
            reply.setWriting(layouts.head(q.getInode(), new Asker(caller, caller.own().getUid())));
        }
        if (!found.getWriting() || isOnlyWriter(scope.session(), q.getInode())) {
            reply.setCacheable(scope.grantAttributes(q.getInode()));
        }
        return reply.build();
    }

    /** It lays what it has written over what is known here, and keeps the rest. */
    private boolean isOnlyWriter(long session, long inode) {
        WritingImage writing = state.writing(inode);
        return writing != null && writing.getWritersList().equals(List.of(session));
    }

    private ResolveReply resolve(ReadScope scope, ResolveRequest q, Caller caller) {
        Credentials who = caller.actingAs(q.hasCredentials(), q.getCredentials());
        if (q.getStart() > Namespace.ROOT) {
            reach.require(caller, who, q.getStart(), scope::readsAttributes, "resolve");
        }
        ResolveReply.Builder reply =
                state.resolve(scope, who, q.getStart(), q.getPath(), q.getFollowLast());
        if (reply.getFound()) {
            long inode = reply.getAttributes().getInode();
            reach.found(caller, reply.getParent(), reply.getLastName(), inode);
        }
        if (reply.getFound() && reply.getAttributes().getWriting()) {
            reply.setWriting(
                    layouts.head(
                            reply.getAttributes().getInode(), new Asker(caller, who.getUid())));
        }
        return reply.build();
    }

    private ReadDirectoryReply list(ReadScope scope, ReadDirectoryRequest q, Caller caller) {
        Credentials who = caller.actingAs(q.hasCredentials(), q.getCredentials());
        scope.readsListing(q.getInode());
        scope.readsAttributes(q.getInode());
        reach.require(caller, who, q.getInode(), scope::readsAttributes, "list");
        int limit = q.getLimit() <= 0 ? PAGE_ENTRIES_MAX : Math.min(q.getLimit(), PAGE_ENTRIES_MAX);
        ReadDirectoryReply.Builder reply =
                state.list(who, q.getInode(), q.getCookie(), limit, q.getWithAttributes());
        if (q.getWithAttributes()) {
            for (DirectoryEntry entry : reply.getEntriesList()) {
                scope.readsAttributes(entry.getInode());
            }
            for (DirectoryEntry.Builder entry : reply.getEntriesBuilderList()) {
                entry.setCacheable(
                        !entry.getAttributes().getWriting()
                                && scope.grantAttributes(entry.getInode()));
            }
        }
        for (DirectoryEntry entry : reply.getEntriesList()) {
            reach.found(caller, q.getInode(), entry.getName(), entry.getInode());
        }
        reply.setCacheable(scope.grantDirectory(q.getInode()));
        return reply.build();
    }

    private ReadLinkReply readLink(ReadScope scope, ReadLinkRequest q, Caller caller) {
        scope.readsAttributes(q.getInode());
        reach.require(caller, caller.own(), q.getInode(), scope::readsAttributes, "read link");
        return ReadLinkReply.newBuilder()
                .setTarget(state.namespace().readLink(q.getInode()))
                .build();
    }

    private GetXattrReply getXattr(ReadScope scope, GetXattrRequest q, Caller caller) {
        scope.readsAttributes(q.getInode());
        Credentials who = caller.actingAs(q.hasCredentials(), q.getCredentials());
        reach.require(caller, who, q.getInode(), scope::readsAttributes, "get xattr");
        return GetXattrReply.newBuilder()
                .setValue(state.namespace().getXattr(q.getInode(), q.getName(), who))
                .build();
    }

    private ListXattrReply listXattr(ReadScope scope, ListXattrRequest q, Caller caller) {
        scope.readsAttributes(q.getInode());
        Credentials who = caller.actingAs(q.hasCredentials(), q.getCredentials());
        reach.require(caller, who, q.getInode(), scope::readsAttributes, "list xattr");
        return ListXattrReply.newBuilder()
                .addAllNames(state.namespace().listXattr(q.getInode(), who))
                .build();
    }

    private StatFsReply statFs(ReadScope scope, StatFsRequest q, Caller caller) {
        long inode = q.getInode() == 0 ? 1 : q.getInode();
        scope.readsAttributes(inode);
        reach.require(caller, caller.own(), inode, scope::readsAttributes, "statfs");
        return state.statFs(inode);
    }

    /**
     * A file that was closed a moment ago may have no replica yet: its mount is asked to tell it
     * first. Who may not know disturbs nobody.
     */
    private void locate(Exchange<LocateRequest, LocateReply> exchange) {
        Caller caller = Callers.of(exchange);
        LocateRequest q = exchange.request();
        Credentials who = caller.actingAs(q.hasCredentials(), q.getCredentials());
        reach.require(caller, who, q.getInode(), _ -> {}, "locate");
        settling.settle(
                q.getInode(),
                () -> runner.run(exchange, caller, scope -> locate(scope, q, caller)));
    }

    private LocateReply locate(ReadScope scope, LocateRequest q, Caller caller) {
        scope.readsAttributes(q.getInode());
        Credentials who = caller.actingAs(q.hasCredentials(), q.getCredentials());
        reach.require(caller, who, q.getInode(), scope::readsAttributes, "locate");
        Attributes found = state.attributes(q.getInode());
        if (q.getTickets()) {
            reach.requireContent(caller, who, q.getInode(), "locate");
            if (!state.mayRead(who, q.getInode())) {
                throw new FarmException(
                        ErrorKind.ACCESS_DENIED, "locate", Long.toHexString(q.getInode()));
            }
        }
        return LocateReply.newBuilder()
                .setAttributes(found)
                .setDigest(state.image(q.getInode()).getDigest())
                .setLayout(
                        layouts.all(q.getInode(), new Asker(caller, who.getUid()), q.getTickets()))
                .build();
    }
}

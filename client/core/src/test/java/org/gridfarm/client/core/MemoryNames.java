package org.gridfarm.client.core;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.rpc.Services;
import org.gridfarm.protocol.wire.*;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a {@link MemoryMetaserver} knows beside names and contents: links, extended attributes,
 * renames and locks, whose ranges are given up as they were taken.
 */
final class MemoryNames {
    private final MemoryMetaserver of; // also the monitor of all here
    private final Map<Long, ByteString> targets = new HashMap<>();
    private final Map<Long, TreeMap<String, ByteString>> xattrs = new HashMap<>();
    private final List<LockRequest> locks = new ArrayList<>();
    private final List<Exchange<LockRequest, LockReply>> waiting = new ArrayList<>();

    MemoryNames(MemoryMetaserver of) {
        this.of = of;
    }

    Services.Builder on(Services.Builder services) {
        return services.on(MetadataMethods.READ_LINK, of.counted(e -> e.reply(read(e.request()))))
                .on(MetadataMethods.RESOLVE, of.counted(e -> e.reply(resolve(e.request()))))
                .on(MetadataMethods.GET_XATTR, of.counted(e -> e.reply(xattr(e.request()))))
                .on(MetadataMethods.LIST_XATTR, of.counted(e -> e.reply(list(e.request()))))
                .on(MetadataMethods.LOCK, of.counted(this::lock));
    }

    // ---- changes, under the monitor

    void apply(MutateRequest q, RecallRequest.Builder recall, MutateReply.Builder reply) {
        switch (q.getOperationCase()) {
            case SET_ATTRIBUTES ->
                    reply.setAttributes(
                            of.change(
                                    q.getSetAttributes().getInode(),
                                    a -> changed(a, q.getSetAttributes()),
                                    recall));
            case SYMLINK -> {
                MakeSymlink s = q.getSymlink();
                Attributes made =
                        of.make(s.getParent(), s.getName(), FileType.SYMLINK, 0777, recall);
                targets.put(made.getInode(), s.getTarget());
                reply.setAttributes(made).setParent(of.shown(s.getParent()));
            }
            case RENAME -> rename(q.getRename(), recall, reply);
            case SET_XATTR -> {
                SetXattr x = q.getSetXattr();
                xattrsOf(x.getInode()).put(x.getName().toStringUtf8(), x.getValue());
                reply.setAttributes(of.change(x.getInode(), a -> a.setHasXattr(true), recall));
            }
            case REMOVE_XATTR -> {
                RemoveXattr x = q.getRemoveXattr();
                if (xattrsOf(x.getInode()).remove(x.getName().toStringUtf8()) == null) {
                    throw new FarmException(ErrorKind.NO_ATTRIBUTE, "removexattr", "");
                }
                reply.setAttributes(of.change(x.getInode(), a -> a, recall));
            }
            default ->
                    throw new FarmException(
                            ErrorKind.UNSUPPORTED, "mutate", q.getOperationCase().name());
        }
    }

    private static Attributes.Builder changed(Attributes.Builder a, SetAttributes by) {
        if (by.hasMode()) a.setMode(by.getMode());
        if (by.hasUid()) a.setUid(by.getUid());
        if (by.hasGid()) a.setGid(by.getGid());
        if (by.hasAtime()) a.setAtime(by.getAtime());
        if (by.hasMtime()) a.setMtime(by.getMtime());
        return a;
    }

    private void rename(Rename r, RecallRequest.Builder recall, MutateReply.Builder reply) {
        String from = MemoryMetaserver.text(r.getName());
        String to = MemoryMetaserver.text(r.getToName());
        Long inode = of.directory(r.getParent()).get(from);
        Long there = of.directory(r.getToParent()).get(to);
        if (inode == null) {
            throw new FarmException(ErrorKind.NOT_FOUND, "rename", from);
        }
        if (there != null && r.getNoReplace()) {
            throw new FarmException(ErrorKind.ALREADY_EXISTS, "rename", to);
        }
        if (there != null && !there.equals(inode)) {
            requireAlike(of.shown(inode), of.shown(there));
            of.remove(
                    Remove.newBuilder().setParent(r.getToParent()).setName(r.getToName()).build(),
                    recall);
        }
        of.directory(r.getParent()).remove(from);
        of.directory(r.getToParent()).put(to, inode);
        recall.addDirectories(
                RecalledDirectory.newBuilder().setInode(r.getParent()).addNames(r.getName()));
        recall.addDirectories(
                RecalledDirectory.newBuilder().setInode(r.getToParent()).addNames(r.getToName()));
        reply.setAttributes(of.change(inode, a -> a, recall))
                .setParent(of.change(r.getParent(), a -> a, recall))
                .setOtherParent(of.change(r.getToParent(), a -> a, recall));
    }

    private static void requireAlike(Attributes from, Attributes there) {
        boolean directory = from.getType() == FileType.DIRECTORY;
        boolean over = there.getType() == FileType.DIRECTORY;
        if (directory != over) {
            throw new FarmException(
                    over ? ErrorKind.IS_A_DIRECTORY : ErrorKind.NOT_A_DIRECTORY, "rename", "");
        }
    }

    // ---- reads

    private ReadLinkReply read(ReadLinkRequest q) {
        synchronized (of) {
            return ReadLinkReply.newBuilder().setTarget(targets.get(q.getInode())).build();
        }
    }

    private ResolveReply resolve(ResolveRequest q) {
        synchronized (of) {
            Attributes found = walk(q.getStart(), MemoryMetaserver.text(q.getPath()), q, 0);
            return found == null
                    ? ResolveReply.getDefaultInstance()
                    : ResolveReply.newBuilder().setFound(true).setAttributes(found).build();
        }
    }

    private @Nullable Attributes walk(long start, String path, ResolveRequest q, int links) {
        long here = path.startsWith("/") ? 1 : start;
        String[] names = path.replaceFirst("^/", "").split("/");
        for (int i = 0; i < names.length; i++) {
            Long next = of.directory(here).get(names[i]);
            boolean last = i == names.length - 1;
            if (next == null && last) {
                return null;
            }
            if (next == null) {
                throw new FarmException(ErrorKind.NOT_FOUND, "resolve", path);
            }
            if (targets.containsKey(next) && (!last || q.getFollowLast())) {
                if (links == 40) {
                    throw new FarmException(ErrorKind.LINK_LOOP, "resolve", path);
                }
                String rest = String.join("/", List.of(names).subList(i + 1, names.length));
                String target = MemoryMetaserver.text(targets.get(next));
                return walk(here, last ? target : target + "/" + rest, q, links + 1);
            }
            here = next;
        }
        return of.shown(here);
    }

    private TreeMap<String, ByteString> xattrsOf(long inode) {
        return xattrs.computeIfAbsent(inode, i -> new TreeMap<>());
    }

    private GetXattrReply xattr(GetXattrRequest q) {
        synchronized (of) {
            ByteString value = xattrsOf(q.getInode()).get(q.getName().toStringUtf8());
            if (value == null) {
                throw new FarmException(ErrorKind.NO_ATTRIBUTE, "getxattr", "");
            }
            return GetXattrReply.newBuilder().setValue(value).build();
        }
    }

    private ListXattrReply list(ListXattrRequest q) {
        synchronized (of) {
            ListXattrReply.Builder reply = ListXattrReply.newBuilder();
            xattrsOf(q.getInode())
                    .keySet()
                    .forEach(name -> reply.addNames(ByteString.copyFromUtf8(name)));
            return reply.build();
        }
    }

    // ---- locks

    private void lock(Exchange<LockRequest, LockReply> e) {
        synchronized (of) {
            waiting.add(e);
            grantWhatCanBe();
            if (waiting.contains(e) && !e.request().getWait()) {
                waiting.remove(e);
                e.reply(LockReply.getDefaultInstance());
            }
        }
    }

    private void grantWhatCanBe() {
        boolean again = true;
        while (again) {
            again = false;
            for (Exchange<LockRequest, LockReply> e : List.copyOf(waiting)) {
                LockRequest q = e.request();
                if (e.isCancelled()) {
                    waiting.remove(e);
                } else if (locks.stream().noneMatch(held -> excludes(held, q))) {
                    waiting.remove(e);
                    locks.removeIf(held -> isOwn(held, q) && overlaps(held, q));
                    if (q.getKind() != LockKind.UNLOCK) {
                        locks.add(q);
                    }
                    e.reply(LockReply.newBuilder().setGranted(true).build());
                    again = true;
                }
            }
        }
    }

    private static boolean isOwn(LockRequest held, LockRequest q) {
        return held.getSession() == q.getSession() && held.getOwner() == q.getOwner();
    }

    private static boolean overlaps(LockRequest held, LockRequest q) {
        return held.getInode() == q.getInode()
                && held.getStart() <= q.getEnd()
                && q.getStart() <= held.getEnd();
    }

    private static boolean excludes(LockRequest held, LockRequest q) {
        return !isOwn(held, q)
                && overlaps(held, q)
                && q.getKind() != LockKind.UNLOCK
                && (held.getKind() == LockKind.EXCLUSIVE_LOCK
                        || q.getKind() == LockKind.EXCLUSIVE_LOCK);
    }

    int waiting() {
        synchronized (of) {
            return waiting.size();
        }
    }
}

package org.gridfarm.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.CreateFile;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.FileType;
import org.gridfarm.protocol.wire.MakeDirectory;
import org.gridfarm.protocol.wire.MakeLink;
import org.gridfarm.protocol.wire.MakeNode;
import org.gridfarm.protocol.wire.MakeSymlink;
import org.gridfarm.protocol.wire.MakeTemporary;
import org.gridfarm.protocol.wire.MutateReply;
import org.gridfarm.protocol.wire.MutateRequest;
import org.gridfarm.protocol.wire.Remove;
import org.gridfarm.protocol.wire.RemoveXattr;
import org.gridfarm.protocol.wire.Rename;
import org.gridfarm.protocol.wire.SetAttributes;
import org.gridfarm.protocol.wire.SetXattr;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A namespace with a clock that goes on by one at each command, and everything it ever applied. */
final class Farm implements Context {
    static final Credentials ROOT = user(0);
    static final Credentials ALICE = user(1000, 1000, 50);
    static final Credentials BOB = user(1001, 1001, 60);

    final Namespace state = new Namespace();
    final List<Change> journal = new ArrayList<>();
    final Set<Long> open = new HashSet<>();
    Credentials who = ROOT;
    long clock = 1000;
    long lastInode = Namespace.ROOT;
    int umask = 022;

    Farm() {
        Namespace.genesis(clock).forEach(this::apply);
    }

    static Credentials user(int uid, int gid, int... groups) {
        Credentials.Builder credentials = Credentials.newBuilder().setUid(uid).setGid(gid);
        for (int group : groups) {
            credentials.addGroups(group);
        }
        return credentials.build();
    }

    static Credentials user(int id) {
        return user(id, id);
    }

    static ByteString name(String text) {
        return ByteString.copyFromUtf8(text);
    }

    Farm as(Credentials credentials) {
        who = credentials;
        return this;
    }

    @Override
    public long now() {
        return clock;
    }

    @Override
    public long nextInode() {
        return ++lastInode;
    }

    @Override
    public boolean isOpen(long inode) {
        return open.contains(inode);
    }

    @Override
    public boolean mayWrite(long session, long handle, long inode) {
        return handle == inode && open.contains(inode);
    }

    @Override
    public boolean isWriting(long session, long inode) {
        return open.contains(inode);
    }

    private void apply(Change change) {
        journal.add(change);
        state.apply(change);
    }

    /** Throws the refusal. */
    Decision.Accepted run(MutateRequest.Builder request) {
        clock++;
        long lastBefore = lastInode;
        return switch (state.decide(request.build(), who, this)) {
            case Decision.Refused refused -> throw refused.failure();
            case Decision.Accepted accepted -> {
                Attributes.Builder going = accepted.going(state);
                accepted.changes().forEach(this::apply);
                requireAllNamed(accepted, accepted.reply(state, going), lastBefore);
                yield accepted;
            }
        };
    }

    /** Who keeps attributes knows from the answer which of them are no longer so. */
    private static void requireAllNamed(
            Decision.Accepted accepted, MutateReply.Builder reply, long lastBefore) {
        List<Long> named =
                List.of(
                        reply.getAttributes().getInode(),
                        reply.getParent().getInode(),
                        reply.getOtherParent().getInode(),
                        reply.getOther().getInode(),
                        reply.getGone().getInode());
        for (Change change : accepted.changes()) {
            long changed = change.getInode().getInode();
            if (change.hasInode() && changed <= lastBefore) assertThat(named).contains(changed);
            if (change.hasInodeGone()) assertThat(named).contains(change.getInodeGone());
        }
    }

    /** The kind of the refusal; fails if there is none. */
    ErrorKind refusal(Runnable command) {
        try {
            command.run();
        } catch (FarmException e) {
            return e.kind();
        }
        throw new AssertionError("was not refused");
    }

    static MutateRequest.Builder request() {
        return MutateRequest.newBuilder().setSession(1);
    }

    long create(long parent, String name, int mode) {
        return run(request()
                        .setCreate(
                                CreateFile.newBuilder()
                                        .setParent(parent)
                                        .setName(name(name))
                                        .setMode(mode)
                                        .setUmask(umask)
                                        .setExclusive(true)))
                .inode();
    }

    long mkdir(long parent, String name, int mode) {
        return run(request()
                        .setMkdir(
                                MakeDirectory.newBuilder()
                                        .setParent(parent)
                                        .setName(name(name))
                                        .setMode(mode)
                                        .setUmask(umask)))
                .inode();
    }

    long symlink(long parent, String name, String target) {
        return run(request()
                        .setSymlink(
                                MakeSymlink.newBuilder()
                                        .setParent(parent)
                                        .setName(name(name))
                                        .setTarget(name(target))))
                .inode();
    }

    long mknod(long parent, String name, FileType type, int mode) {
        return run(request()
                        .setMknod(
                                MakeNode.newBuilder()
                                        .setParent(parent)
                                        .setName(name(name))
                                        .setType(type)
                                        .setMode(mode)
                                        .setUmask(umask)
                                        .setRdev(0x0501)))
                .inode();
    }

    long temporary(long directory) {
        return run(request()
                        .setTemporary(
                                MakeTemporary.newBuilder().setDirectory(directory).setMode(0600)))
                .inode();
    }

    void link(long inode, long parent, String name) {
        run(
                request()
                        .setLink(
                                MakeLink.newBuilder()
                                        .setInode(inode)
                                        .setParent(parent)
                                        .setName(name(name))));
    }

    void unlink(long parent, String name) {
        run(request().setUnlink(Remove.newBuilder().setParent(parent).setName(name(name))));
    }

    void rmdir(long parent, String name) {
        run(request().setRmdir(Remove.newBuilder().setParent(parent).setName(name(name))));
    }

    static Rename.Builder renaming(long parent, String name, long toParent, String toName) {
        return Rename.newBuilder()
                .setParent(parent)
                .setName(name(name))
                .setToParent(toParent)
                .setToName(name(toName));
    }

    void rename(long parent, String name, long toParent, String toName) {
        rename(renaming(parent, name, toParent, toName));
    }

    void rename(Rename.Builder rename) {
        run(request().setRename(rename));
    }

    void set(SetAttributes.Builder wish) {
        run(request().setSetAttributes(wish));
    }

    void chmod(long inode, int mode) {
        set(SetAttributes.newBuilder().setInode(inode).setMode(mode));
    }

    void chown(long inode, int uid, int gid) {
        set(SetAttributes.newBuilder().setInode(inode).setUid(uid).setGid(gid));
    }

    void setXattr(long inode, String name, byte[] value) {
        run(
                request()
                        .setSetXattr(
                                SetXattr.newBuilder()
                                        .setInode(inode)
                                        .setName(name(name))
                                        .setValue(ByteString.copyFrom(value))));
    }

    void removeXattr(long inode, String name) {
        run(request().setRemoveXattr(RemoveXattr.newBuilder().setInode(inode).setName(name(name))));
    }

    Attributes stat(long inode) {
        return state.attributes(inode).build();
    }
}

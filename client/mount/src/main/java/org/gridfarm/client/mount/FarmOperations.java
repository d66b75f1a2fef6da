package org.gridfarm.client.mount;

import io.micrometer.core.instrument.MeterRegistry;

import org.gridfarm.client.core.transfer.Transfer;
import org.gridfarm.client.mount.fuse.AttributesReply;
import org.gridfarm.client.mount.fuse.BytesReply;
import org.gridfarm.client.mount.fuse.Connection;
import org.gridfarm.client.mount.fuse.CountReply;
import org.gridfarm.client.mount.fuse.CreateReply;
import org.gridfarm.client.mount.fuse.DirectoryReply;
import org.gridfarm.client.mount.fuse.EmptyReply;
import org.gridfarm.client.mount.fuse.EntryReply;
import org.gridfarm.client.mount.fuse.Errno;
import org.gridfarm.client.mount.fuse.FuseOperations;
import org.gridfarm.client.mount.fuse.LockRange;
import org.gridfarm.client.mount.fuse.LockReply;
import org.gridfarm.client.mount.fuse.OffsetReply;
import org.gridfarm.client.mount.fuse.OpenReply;
import org.gridfarm.client.mount.fuse.Places;
import org.gridfarm.client.mount.fuse.RawName;
import org.gridfarm.client.mount.fuse.ReadReply;
import org.gridfarm.client.mount.fuse.SetAttributes;
import org.gridfarm.client.mount.fuse.StatfsReply;
import org.gridfarm.client.mount.fuse.XattrReply;
import org.gridfarm.client.mount.own.OwnFigures;
import org.gridfarm.protocol.env.Clock;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Everything the kernel asks, dealt out to the rooms that answer: names, attributes, files,
 * listings, extended attributes, locks.
 */
final class FarmOperations implements FuseOperations {
    private final Mounted mounted;
    private final boolean passthrough;
    private final Restoration restoration;
    private final Names names;
    private final Numbered numbered;
    private final AttributeCalls attributes;
    private final Files files;
    private final Listings listings;
    private final Xattrs xattrs;
    private final Locks locks;
    private final Telling telling;
    private final ControlFiles control;
    private final Places places =
            new Places((nanos, action) -> Clock.system().after(Duration.ofNanos(nanos), action));

    /**
     * @param noPassthrough why local replicas are not handed to the kernel; empty: they are, where
     *     it takes them
     * @param restoration of what a former process had open
     * @param own what the mount decides by itself
     */
    FarmOperations(
            Mounted mounted,
            String noPassthrough,
            Restoration restoration,
            Supplier<OwnFigures> own) {
        this.restoration = restoration;
        this.mounted = mounted;
        this.passthrough = noPassthrough.isEmpty();
        this.locks = new Locks(mounted);
        OpenBound bound = OpenBound.ofHeap();
        this.files = new Files(mounted, locks, bound);
        this.names = new Names(mounted, places);
        this.numbered = new Numbered(mounted);
        this.attributes = new AttributeCalls(mounted, files);
        this.listings = new Listings(mounted, places, bound);
        this.xattrs = new Xattrs(mounted, files);
        this.telling = new Telling(mounted, files::count, noPassthrough, own);
        this.control = new ControlFiles(telling.pages(), mounted.firstHandle());
    }

    void register(MeterRegistry registry) {
        telling.register(registry);
    }

    @Override
    public void started(Connection connection) {
        telling.started(connection);
        places.started(connection.cache());
        listings.started(connection.cache());
        files.started(connection, passthrough);
        mounted.metadata().onRecall(new KernelRecalls(connection.cache(), places, files.taking()));
        restoration.carryOut(files, locks);
    }

    @Override
    public void stopped() {
        files.closeAll();
        mounted.times().tell().join();
    }

    @Override
    public void lookup(EntryReply reply, long parent, RawName name) {
        if (ControlFiles.holds(parent) || (parent == ROOT && ControlFiles.isName(name))) {
            control.lookup(reply, parent, name);
            return;
        }
        if (name.isDot()) {
            numbered.itself(reply, parent);
            return;
        }
        if (name.isDotDot()) {
            numbered.above(reply, parent);
            return;
        }
        names.lookup(reply, parent, name);
    }

    @Override
    public void forget(long node, long lookups) {
        mounted.remains().forget(node);
    }

    @Override
    public void getattr(AttributesReply reply, long node, long handle) {
        if (ControlFiles.holds(node)) {
            control.attributes(reply, node, handle);
            return;
        }
        attributes.get(reply, node, handle);
    }

    @Override
    public void setattr(AttributesReply reply, long node, SetAttributes change) {
        if (ControlFiles.refuses(reply, node)) {
            return;
        }
        mounted.numbers().serving(reply, () -> attributes.set(reply, node, change));
    }

    @Override
    public void readlink(BytesReply reply, long node) {
        names.readlink(reply, node);
    }

    @Override
    public void symlink(EntryReply reply, long parent, RawName name, byte[] target) {
        if (ControlFiles.refuses(reply, parent)) {
            return;
        }
        mounted.numbers().serving(reply, () -> names.symlink(reply, parent, name, target));
    }

    @Override
    public void mknod(
            EntryReply reply, long parent, RawName name, int mode, int device, int umask) {
        if (ControlFiles.refuses(reply, parent)) {
            return;
        }
        mounted.numbers()
                .serving(reply, () -> names.mknod(reply, parent, name, mode, device, umask));
    }

    @Override
    public void mkdir(EntryReply reply, long parent, RawName name, int mode, int umask) {
        if (ControlFiles.refuses(reply, parent)) {
            return;
        }
        mounted.numbers().serving(reply, () -> names.mkdir(reply, parent, name, mode, umask));
    }

    @Override
    public void unlink(EmptyReply reply, long parent, RawName name) {
        if (ControlFiles.refuses(reply, parent)) {
            return;
        }
        mounted.numbers().serving(reply, () -> names.unlink(reply, parent, name));
    }

    @Override
    public void rmdir(EmptyReply reply, long parent, RawName name) {
        if (ControlFiles.refuses(reply, parent)) {
            return;
        }
        mounted.numbers().serving(reply, () -> names.rmdir(reply, parent, name));
    }

    @Override
    public void rename(
            EmptyReply reply,
            long parent,
            RawName name,
            long newParent,
            RawName newName,
            int flags) {
        if (ControlFiles.refuses(reply, parent) || ControlFiles.refuses(reply, newParent)) {
            return;
        }
        mounted.numbers()
                .serving(reply, () -> names.rename(reply, parent, name, newParent, newName, flags));
    }

    @Override
    public void link(EntryReply reply, long node, long newParent, RawName newName) {
        if (ControlFiles.refuses(reply, node) || ControlFiles.refuses(reply, newParent)) {
            return;
        }
        mounted.numbers().serving(reply, () -> names.link(reply, node, newParent, newName));
    }

    @Override
    public void open(OpenReply reply, long node, int flags, boolean killSuidGid) {
        if (ControlFiles.holds(node)) {
            control.open(reply, node, flags);
            return;
        }
        mounted.numbers().serving(reply, () -> files.open(reply, node, flags, killSuidGid));
    }

    @Override
    public void read(
            ReadReply reply,
            long node,
            long handle,
            long offset,
            int size,
            int flags,
            boolean kept) {
        if (ControlFiles.holds(node)) {
            control.read(reply, node, handle, offset, size);
            return;
        }
        files.read(reply, node, handle, offset, size, kept);
    }

    @Override
    public void write(
            CountReply reply,
            long node,
            long handle,
            long offset,
            ByteBuffer data,
            int openFlags,
            int writeFlags) {
        files.write(reply, node, handle, offset, data, openFlags, writeFlags);
    }

    @Override
    public void statfs(StatfsReply reply, long node) {
        boolean nowhere = ControlFiles.holds(node) || mounted.remains().of(node) != null;
        attributes.statfs(reply, nowhere ? ROOT : node);
    }

    @Override
    public void release(
            EmptyReply reply,
            long node,
            long handle,
            int flags,
            boolean flockUnlock,
            long lockOwner) {
        if (ControlFiles.holds(node)) {
            control.release(handle);
            reply.done();
            return;
        }
        files.release(reply, node, handle, flockUnlock, lockOwner);
    }

    @Override
    public void fsync(EmptyReply reply, long node, long handle, boolean dataOnly) {
        if (ControlFiles.holds(node)) {
            reply.done();
            return;
        }
        files.fsync(reply, node, handle, dataOnly);
    }

    @Override
    public void setxattr(
            EmptyReply reply, long node, RawName name, byte[] value, int flags, boolean killSgid) {
        if (ControlFiles.refuses(reply, node)) {
            return;
        }
        mounted.numbers().serving(reply, () -> xattrs.set(reply, node, name, value, flags));
    }

    @Override
    public void getxattr(XattrReply reply, long node, RawName name, int size) {
        if (ControlFiles.holds(node)) {
            reply.fail(Errno.ENODATA);
            return;
        }
        xattrs.get(reply, node, name);
    }

    @Override
    public void listxattr(XattrReply reply, long node, int size) {
        if (ControlFiles.holds(node)) {
            reply.value(new byte[0]);
            return;
        }
        xattrs.list(reply, node);
    }

    @Override
    public void removexattr(EmptyReply reply, long node, RawName name) {
        if (ControlFiles.refuses(reply, node)) {
            return;
        }
        mounted.numbers().serving(reply, () -> xattrs.remove(reply, node, name));
    }

    @Override
    public void flush(EmptyReply reply, long node, long handle, long lockOwner) {
        if (ControlFiles.holds(node)) {
            reply.done();
            return;
        }
        files.flush(reply, node, handle, lockOwner);
    }

    @Override
    public void opendir(OpenReply reply, long node, int flags) {
        listings.open(reply, node);
    }

    @Override
    public void readdir(DirectoryReply reply, long node, long handle, long offset) {
        if (ControlFiles.holds(node)) {
            control.list(reply, offset);
            return;
        }
        listings.read(reply, node, handle, offset);
    }

    @Override
    public void releasedir(EmptyReply reply, long node, long handle, int flags) {
        listings.release(handle);
        reply.done();
    }

    @Override
    public void fsyncdir(EmptyReply reply, long node, long handle, boolean dataOnly) {
        // Of the root it is for all that programs have closed: Linux has no syncfs(2) for FUSE.
        Transfer transfer = mounted.transfer();
        CompletableFuture<Void> done =
                node != ROOT
                        ? mounted.metadata().durable()
                        : dataOnly ? transfer.settled() : transfer.stored();
        done.whenComplete((_, failure) -> {
            if (failure == null) reply.done();
            else mounted.fail(reply, node, "fsync", failure);
        });
    }

    @Override
    public void getlk(LockReply reply, long node, long handle, long owner, LockRange lock) {
        if (ControlFiles.holds(node)) {
            reply.fail(Errno.ENOLCK);
            return;
        }
        locks.test(reply, node, owner, lock);
    }

    @Override
    public void setlk(
            EmptyReply reply,
            long node,
            long handle,
            long owner,
            LockRange lock,
            boolean flock,
            boolean wait) {
        if (ControlFiles.holds(node)) {
            reply.fail(Errno.ENOLCK); // the farm has no such file that others could lock
            return;
        }
        locks.set(reply, node, handle, owner, lock, flock, wait);
    }

    @Override
    public void access(EmptyReply reply, long node, int mask) {
        reply.fail(Errno.ENOSYS); // the kernel checks; see default_permissions
    }

    @Override
    public void create(
            CreateReply reply, long parent, RawName name, int flags, int mode, int umask) {
        if (ControlFiles.refuses(reply, parent)) {
            return;
        }
        mounted.numbers()
                .serving(reply, () -> files.create(reply, parent, name, flags, mode, umask));
    }

    @Override
    public void tmpfile(CreateReply reply, long parent, int flags, int mode, int umask) {
        if (ControlFiles.refuses(reply, parent)) {
            return;
        }
        mounted.numbers().serving(reply, () -> files.temporary(reply, parent, flags, mode, umask));
    }

    @Override
    public void fallocate(
            EmptyReply reply, long node, long handle, long offset, long length, int mode) {
        files.fallocate(reply, node, handle, offset, length, mode);
    }

    @Override
    public void lseek(OffsetReply reply, long node, long handle, long offset, int whence) {
        if (ControlFiles.holds(node)) {
            control.seek(reply, node, handle, offset, whence);
            return;
        }
        files.lseek(reply, node, handle, offset, whence);
    }

    @Override
    public void copyFileRange(
            CountReply reply,
            long nodeIn,
            long handleIn,
            long offsetIn,
            long nodeOut,
            long handleOut,
            long offsetOut,
            long length,
            long flags) {
        if (ControlFiles.holds(nodeIn)) {
            reply.fail(Errno.EXDEV); // the kernel reads and writes then
            return;
        }
        files.copyRange(reply, nodeIn, handleIn, offsetIn, nodeOut, handleOut, offsetOut, length);
    }

    @Override
    public void syncfs(EmptyReply reply, long node) {
        files.syncAll(reply);
    }
}

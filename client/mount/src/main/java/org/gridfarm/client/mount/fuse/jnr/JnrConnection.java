package org.gridfarm.client.mount.fuse.jnr;

import org.gridfarm.client.mount.fuse.Backing;
import org.gridfarm.client.mount.fuse.Connection;
import org.gridfarm.client.mount.fuse.KernelCache;
import org.gridfarm.client.mount.fuse.Passthrough;
import org.gridfarm.client.mount.fuse.RawName;
import org.gridfarm.client.mount.fuse.RequestFigures;
import org.jspecify.annotations.Nullable;

import java.nio.file.Path;

/// What the portable engine offers: nothing is passed through, and no names or attributes are
/// cached that would have to be taken back.
final class JnrConnection implements Connection, KernelCache, Passthrough {

    private static final int MINOR = 19; // of libfuse 2.9
    private static final int WRITE_BYTES_MAX = 128 * 1024;

    @Override
    public KernelCache cache() {
        return this;
    }

    @Override
    public Passthrough passthrough() {
        return this;
    }

    @Override
    public int minor() {
        return MINOR;
    }

    @Override
    public int writeBytesMax() {
        return WRITE_BYTES_MAX;
    }

    @Override
    public boolean resumed() {
        return false;
    }

    @Override
    public RequestFigures figures() {
        return RequestFigures.NONE;
    }

    @Override
    public boolean available() {
        return false;
    }

    @Override
    public @Nullable Backing open(Path file) {
        return null;
    }

    @Override
    public boolean isOpenForWriting(Path file) {
        return false;
    }

    @Override
    public boolean forgetReads(Path file) {
        return false;
    }

    @Override
    public Backing adopt(int id) {
        throw new IllegalStateException("the portable engine takes over no mounts");
    }

    @Override
    public String refusal() {
        return "the portable engine has no passthrough";
    }

    @Override
    public void expireEntry(long parent, RawName name, Done done) {
        done.done(0);
    }

    @Override
    public void forgetEntry(long parent, RawName name, Done done) {
        done.done(0);
    }

    @Override
    public void deleteEntry(long parent, long child, RawName name, Done done) {
        done.done(0);
    }

    @Override
    public void forgetData(long node, long offset, long length, Done done) {
        done.done(0);
    }

    @Override
    public void forgetAttributes(long node, Done done) {
        done.done(0);
    }

    @Override
    public void forgetListing(long directory, Done done) {
        done.done(0);
    }

    @Override
    public void forgetAllEntries(Done done) {
        done.done(0);
    }

    @Override
    public void recall(long directory, RawName[] names, long[] changed, Done done) {
        done.done(0);
    }

    @Override
    public boolean busy(long directory) {
        return false;
    }
}

package org.gridfarm.client.mount.fuse.linux;

import org.gridfarm.client.mount.fuse.Attributes;
import org.gridfarm.client.mount.fuse.AttributesReply;
import org.gridfarm.client.mount.fuse.EmptyReply;

/// The answer to a change that no kernel asked for: a test makes it behind the mount's back.
final class Ignored implements EmptyReply, AttributesReply {

    @Override
    public Attributes attributes() {
        return new Attributes();
    }

    @Override
    public boolean send(long nanos) {
        return true;
    }

    @Override
    public boolean done() {
        return true;
    }

    @Override
    public boolean fail(int errno) {
        throw new AssertionError("errno " + errno);
    }

    @Override
    public long unique() {
        return 0;
    }

    @Override
    public int uid() {
        return 0;
    }

    @Override
    public int gid() {
        return 0;
    }

    @Override
    public int pid() {
        return 0;
    }

    @Override
    public boolean makesName() {
        return false;
    }

    @Override
    public int[] groups() {
        return new int[0];
    }

    @Override
    public boolean resent() {
        return false;
    }

    @Override
    public void onInterrupt(Runnable hook) {}

    @Override
    public void afterAnswer(Runnable step) {}

    @Override
    public boolean callerKilled() {
        return false;
    }

    @Override
    public void deadline(long nanos) {}
}

package org.gridfarm.client.mount;

import org.gridfarm.client.core.transfer.LocalCalls;
import org.gridfarm.client.mount.fuse.linux.HostFiles;

import java.io.IOException;
import java.nio.file.Path;

/** Of local replicas. */
final class LinuxCalls implements LocalCalls {
    @Override
    public long nextData(Path file, long offset) throws IOException {
        return HostFiles.nextData(file, offset);
    }

    @Override
    public long allocated(Path file) throws IOException {
        return HostFiles.allocated(file);
    }

    @Override
    public void touch(Path file) throws IOException {
        HostFiles.touch(file);
    }
}

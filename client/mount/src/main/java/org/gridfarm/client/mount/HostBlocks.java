package org.gridfarm.client.mount;

import org.gridfarm.client.core.transfer.LocalBlocks;
import org.gridfarm.client.mount.fuse.linux.SparseFiles;

import java.io.IOException;
import java.nio.file.Path;

/** The blocks of local replicas, as Linux tells of them. */
final class HostBlocks implements LocalBlocks {
    @Override
    public long nextData(Path file, long offset) throws IOException {
        return SparseFiles.nextData(file, offset);
    }

    @Override
    public long allocated(Path file) throws IOException {
        return SparseFiles.allocated(file);
    }
}

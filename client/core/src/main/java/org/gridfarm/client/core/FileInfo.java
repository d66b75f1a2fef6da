package org.gridfarm.client.core;

import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.FileType;

import java.time.Instant;
import java.util.Optional;

/** What stat tells of one path. */
public record FileInfo(FarmPath path, Attributes attributes) {
    public long inode() {
        return attributes.getInode();
    }

    public FileType type() {
        return attributes.getType();
    }

    public boolean isDirectory() {
        return type() == FileType.DIRECTORY;
    }

    public boolean isRegularFile() {
        return type() == FileType.REGULAR;
    }

    public boolean isSymbolicLink() {
        return type() == FileType.SYMLINK;
    }

    /** Bytes. */
    public long size() {
        return attributes.getSize();
    }

    /** Permission bits, 07777. */
    public int mode() {
        return attributes.getMode();
    }

    public int uid() {
        return attributes.getUid();
    }

    public int gid() {
        return attributes.getGid();
    }

    /** Names of it. */
    public int links() {
        return attributes.getNlink();
    }

    public Instant modified() {
        return instant(attributes.getMtime());
    }

    public Instant accessed() {
        return instant(attributes.getAtime());
    }

    /** When it was made; empty: not known. */
    public Optional<Instant> created() {
        long made = attributes.getBtime();
        return made == 0 ? Optional.empty() : Optional.of(instant(made));
    }

    public Instant changed() {
        return instant(attributes.getCtime());
    }

    /** The replica level in force. */
    public int replicasWanted() {
        return attributes.getReplicasWanted();
    }

    private static Instant instant(long nanos) {
        return Instant.ofEpochSecond(
                Math.floorDiv(nanos, 1_000_000_000L), Math.floorMod(nanos, 1_000_000_000L));
    }
}

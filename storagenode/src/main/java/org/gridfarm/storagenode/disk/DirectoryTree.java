package org.gridfarm.storagenode.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;

/**
 * The two levels of directories ({@code ab/cd}) under which files are spread. Remembers which exist
 * and which are not yet durable, so that neither making nor syncing them costs a call per file.
 * Thread-safe.
 */
public final class DirectoryTree {
    private final Path root;
    private final DiskCalls calls;
    private final BitSet known = new BitSet(1 << 16);
    private final BitSet notDurable = new BitSet(1 << 16);

    DirectoryTree(Path root, DiskCalls calls) {
        this.root = root;
        this.calls = calls;
    }

    public Path root() {
        return root;
    }

    /** The directory of this slot (0 to 65535), whether it exists or not. */
    public Path path(int slot) {
        return first(slot).resolve(hex(slot & 0xFF));
    }

    private Path first(int slot) {
        return root.resolve(hex(slot >>> 8));
    }

    /** False when none of the 256 slots that share this one's first level can hold anything. */
    public boolean mayHold(int slot) {
        return Files.isDirectory(first(slot));
    }

    private static String hex(int octet) {
        return "" + Character.forDigit(octet >>> 4, 16) + Character.forDigit(octet & 0xF, 16);
    }

    /** The directory of this slot, made if need be. */
    public Path make(int slot) throws IOException {
        Path path = path(slot);
        synchronized (this) {
            if (known.get(slot)) {
                return path;
            }
            if (!Files.isDirectory(path)) {
                Path first = first(slot);
                if (!Files.isDirectory(first)) {
                    OwnerOnly.makeDirectory(first);
                    calls.spread(first);
                }
                OwnerOnly.makeDirectory(path);
                notDurable.set(slot);
            }
            known.set(slot);
        }
        return path;
    }

    /** Makes the names in this slot durable, and the slot itself if it is new. */
    public void force(int slot) throws IOException {
        Path path = path(slot);
        calls.forceDirectory(path);
        boolean fresh;
        synchronized (this) {
            fresh = notDurable.get(slot);
        }
        if (fresh) {
            calls.forceDirectory(first(slot));
            calls.forceDirectory(root);
            synchronized (this) {
                notDurable.clear(slot);
            }
        }
    }
}

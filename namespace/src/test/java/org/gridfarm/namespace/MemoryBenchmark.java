package org.gridfarm.namespace;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.DirentImage;
import org.gridfarm.protocol.wire.FileType;
import org.gridfarm.protocol.wire.InodeImage;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Bytes per inode and the speed of apply and lookup: files with names of 22 bytes, 99 to a
 * directory. Run with {@code -Xmx3g -XX:+UseCompactObjectHeaders -XX:+UseSerialGC}; the argument is
 * the number of inodes, 5 million if none is given.
 */
final class MemoryBenchmark {
    private static final int FILES_PER_DIRECTORY = 99;

    public static void main(String[] args) {
        int count = args.length > 0 ? Integer.parseInt(args[0]) : 5_000_000;
        long before = used();
        Namespace state = new Namespace();
        Namespace.genesis(1).forEach(state::apply);
        long applying = 0;
        List<Change> batch = new ArrayList<>();
        long inode = 1;
        long directory = 1;
        while (inode < count) {
            batch.clear();
            for (int i = 0; i < 10_000 && inode < count; i++) {
                inode++;
                boolean isDirectory = (inode - 2) % (FILES_PER_DIRECTORY + 1) == 0;
                long parent = isDirectory ? Namespace.ROOT : directory;
                batch.add(Change.newBuilder().setInode(image(inode, parent, isDirectory)).build());
                batch.add(Change.newBuilder().setDirent(entry(inode, parent, isDirectory)).build());
                directory = isDirectory ? inode : directory;
            }
            long start = System.nanoTime();
            batch.forEach(state::apply);
            applying += System.nanoTime() - start;
        }
        long bytes = used() - before;
        System.out.printf(
                Locale.ROOT,
                "%,d inodes: %.1f bytes each; apply %,.0f rows/s; lookup with attributes %,.0f/s%n",
                state.inodeCount(),
                (double) bytes / state.inodeCount(),
                2.0 * count / (applying / 1e9),
                lookups(state, count));
    }

    private static InodeImage image(long inode, long parent, boolean directory) {
        return InodeImage.newBuilder()
                .setInode(inode)
                .setType(directory ? FileType.DIRECTORY : FileType.REGULAR)
                .setMode(0644)
                .setNlink(directory ? 2 : 1)
                .setUid(1000)
                .setGid(1000)
                .setSize(8192)
                .setAllocated(8192)
                .setDigest(ByteString.copyFrom(new byte[] {1, 2, 3, 4}))
                .setAtime(inode)
                .setMtime(inode)
                .setCtime(inode)
                .setParent(parent)
                .setGeneration(1)
                .setVersion(2)
                .build();
    }

    private static DirentImage entry(long inode, long parent, boolean directory) {
        return DirentImage.newBuilder()
                .setParent(parent)
                .setName(name(inode))
                .setInode(inode)
                .setType(directory ? FileType.DIRECTORY : FileType.REGULAR)
                .setCookie(inode)
                .build();
    }

    private static ByteString name(long inode) {
        return ByteString.copyFromUtf8(String.format(Locale.ROOT, "file-name-%012d", inode));
    }

    private static double lookups(Namespace state, int count) {
        java.util.SplittableRandom random = new java.util.SplittableRandom(1);
        int rounds = 1_000_000;
        ByteString[] names = new ByteString[rounds];
        long[] parents = new long[rounds];
        for (int i = 0; i < rounds; i++) {
            long inode = 2 + random.nextInt(count - 1);
            names[i] = name(inode);
            long directory = inode - (inode - 2) % (FILES_PER_DIRECTORY + 1);
            parents[i] = directory == inode ? Namespace.ROOT : directory;
        }
        long start = System.nanoTime();
        long found = 0;
        for (int i = 0; i < rounds; i++) {
            var attributes = state.lookup(parents[i], names[i], Farm.ROOT);
            found += attributes == null ? 0 : attributes.getInode() > 0 ? 1 : 0;
        }
        double rate = rounds / ((System.nanoTime() - start) / 1e9);
        if (found != rounds) {
            throw new IllegalStateException("found " + found + " of " + rounds);
        }
        return rate;
    }

    private static long used() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}

package org.gridfarm.client.cli.bench.meta;

import com.google.protobuf.ByteString;

import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.core.metadata.DirectoryPage;
import org.gridfarm.client.core.metadata.Metadata;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.Name;
import org.gridfarm.protocol.wire.CreateFile;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;

/** By the client library, as one session. */
final class LibraryTree implements Tree {
    private static final int FILE_MODE = 0644;
    private static final int DIRECTORY_MODE = 0755;
    private static final int PAGE_ENTRIES = 1000;

    private final Gridfarm farm;
    private final Metadata metadata;
    private final FarmPath root;
    private final Map<String, Long> inodes = new ConcurrentHashMap<>();

    LibraryTree(Gridfarm farm, FarmPath root) {
        this.farm = farm;
        this.metadata = farm.metadata();
        this.root = root;
    }

    private static <T> T await(CompletableFuture<T> future) {
        try {
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FarmException(ErrorKind.INTERRUPTED, "bench", "");
        } catch (ExecutionException e) {
            throw FarmException.of(e, "bench", "");
        }
    }

    private long inode(String directory) {
        return inodes.computeIfAbsent(
                directory, d -> farm.stat(root.child(d)).attributes().getInode());
    }

    @Override
    public void makeDirectory(String directory) {
        farm.mkdirs(root.child(directory));
    }

    @Override
    public void create(String directory, String name) {
        await(
                metadata.create(
                        metadata.self(),
                        CreateFile.newBuilder()
                                .setParent(inode(directory))
                                .setName(ByteString.copyFromUtf8(name))
                                .setMode(FILE_MODE)
                                .setExclusive(true)
                                .build()));
    }

    @Override
    public void stat(String directory, String name) {
        await(metadata.lookup(metadata.self(), inode(directory), Name.of(name)))
                .require("stat", name);
    }

    @Override
    public long list(String directory) {
        long entries = 0;
        long cookie = 0;
        while (true) {
            DirectoryPage page =
                    await(
                            metadata.list(
                                    metadata.self(), inode(directory), cookie, PAGE_ENTRIES, true));
            entries += page.entries().size();
            if (page.end() || page.entries().isEmpty()) return entries;
            cookie = page.entries().getLast().getCookie();
        }
    }

    @Override
    public void rename(String directory, String from, String to) {
        long inode = inode(directory);
        await(metadata.rename(metadata.self(), inode, Name.of(from), inode, Name.of(to), Set.of()));
    }

    @Override
    public void unlink(String directory, String name) {
        await(metadata.unlink(metadata.self(), inode(directory), Name.of(name)));
    }

    @Override
    public void removeDirectory(String directory) {
        farm.delete(root.child(directory));
        inodes.remove(directory);
    }
}

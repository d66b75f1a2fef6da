package org.gridfarm.client.core.nio;

import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.StatFsReply;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.FileStoreAttributeView;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.UserDefinedFileAttributeView;

/** The space of a farm, divided by the replica level of its root. */
final class FarmFileStore extends FileStore {
    private final Gridfarm farm;

    FarmFileStore(Gridfarm farm) {
        this.farm = farm;
    }

    private StatFsReply space() throws IOException {
        return FarmFileSystemProvider.call(() -> farm.space(FarmPath.ROOT));
    }

    @Override
    public String name() {
        return "gf:/";
    }

    @Override
    public String type() {
        return "gf";
    }

    @Override
    public boolean isReadOnly() {
        return false;
    }

    @Override
    public long getTotalSpace() throws IOException {
        return space().getTotal();
    }

    @Override
    public long getUsableSpace() throws IOException {
        return space().getAvailable();
    }

    @Override
    public long getUnallocatedSpace() throws IOException {
        return space().getFree();
    }

    @Override
    public boolean supportsFileAttributeView(Class<? extends FileAttributeView> type) {
        return type == BasicFileAttributeView.class
                || type == FileOwnerAttributeView.class
                || type == PosixFileAttributeView.class
                || type == UserDefinedFileAttributeView.class;
    }

    @Override
    public boolean supportsFileAttributeView(String name) {
        return NamedAttributes.VIEWS.contains(name);
    }

    @Override
    public <V extends FileStoreAttributeView> @Nullable V getFileStoreAttributeView(Class<V> type) {
        return null;
    }

    @Override
    public Object getAttribute(String attribute) {
        throw new UnsupportedOperationException(attribute);
    }
}

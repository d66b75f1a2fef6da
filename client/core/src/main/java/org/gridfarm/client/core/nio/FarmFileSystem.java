package org.gridfarm.client.core.nio;

import org.gridfarm.client.core.GlobPattern;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.core.nio.watch.FarmWatches;

import java.nio.file.ClosedFileSystemException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** One open farm. Relative paths start at its root. */
final class FarmFileSystem extends FileSystem {
    private final FarmFileSystemProvider provider;
    private final Gridfarm farm;
    private final FarmLocks locks;
    private final FarmWatches watches;
    private volatile boolean open = true;

    FarmFileSystem(FarmFileSystemProvider provider, Gridfarm farm) {
        this.provider = provider;
        this.farm = farm;
        locks = new FarmLocks(farm);
        watches = new FarmWatches(farm.metadata());
    }

    /** Refuses with ClosedFileSystemException. */
    Gridfarm farm() {
        if (!open) {
            throw new ClosedFileSystemException();
        }
        return farm;
    }

    FarmLocks locks() {
        return locks;
    }

    FarmWatches watches() {
        return watches;
    }

    @Override
    public FarmFileSystemProvider provider() {
        return provider;
    }

    @Override
    public void close() {
        open = false;
        watches.close();
        farm.close();
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public boolean isReadOnly() {
        return false;
    }

    @Override
    public String getSeparator() {
        return "/";
    }

    @Override
    public Iterable<Path> getRootDirectories() {
        return List.of(getPath("/"));
    }

    @Override
    public Iterable<FileStore> getFileStores() {
        return List.of(new FarmFileStore(farm));
    }

    @Override
    public Set<String> supportedFileAttributeViews() {
        return NamedAttributes.VIEWS;
    }

    @Override
    public Path getPath(String first, String... more) {
        StringBuilder text = new StringBuilder(first);
        for (String part : more) {
            if (!part.isEmpty()) {
                text.append(text.length() == 0 ? "" : "/").append(part);
            }
        }
        return FarmNioPath.parse(this, text.toString());
    }

    @Override
    public PathMatcher getPathMatcher(String syntaxAndPattern) {
        Pattern pattern = GlobPattern.of(syntaxAndPattern);
        return path -> pattern.matcher(path.toString()).matches();
    }

    @Override
    public UserPrincipalLookupService getUserPrincipalLookupService() {
        return new FarmPrincipals();
    }

    @Override
    public WatchService newWatchService() {
        farm();
        return watches.open();
    }
}

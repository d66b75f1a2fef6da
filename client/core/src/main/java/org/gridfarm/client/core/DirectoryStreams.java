package org.gridfarm.client.core;

import org.gridfarm.client.core.metadata.DirectoryPage;
import org.gridfarm.client.core.metadata.Metadata;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.Name;
import org.gridfarm.protocol.wire.DirectoryEntry;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Directories as lazy streams, one page of entries in memory. */
final class DirectoryStreams {
    private final Metadata metadata;
    private final int pageEntries;

    DirectoryStreams(Metadata metadata, int pageEntries) {
        this.metadata = metadata;
        this.pageEntries = pageEntries;
    }

    Stream<FileInfo> list(FarmPath directory, long inode) {
        Pages pages = new Pages(directory, inode);
        pages.fetch(); // a refusal comes now, not when the stream is read
        return StreamSupport.stream(
                Spliterators.spliteratorUnknownSize(
                        pages, Spliterator.ORDERED | Spliterator.NONNULL),
                false);
    }

    private final class Pages implements Iterator<FileInfo> {
        private final FarmPath directory;
        private final long inode;
        private final Deque<DirectoryEntry> page = new ArrayDeque<>();
        private long cookie;
        private boolean end;

        Pages(FarmPath directory, long inode) {
            this.directory = directory;
            this.inode = inode;
        }

        void fetch() {
            DirectoryPage next =
                    Blocking.await(
                            metadata.list(metadata.self(), inode, cookie, pageEntries, true),
                            "list",
                            directory);
            page.addAll(next.entries());
            end = next.end() || next.entries().isEmpty();
            if (!page.isEmpty()) {
                cookie = page.getLast().getCookie();
            }
        }

        @Override
        public boolean hasNext() {
            while (page.isEmpty() && !end) {
                fetch();
            }
            return !page.isEmpty();
        }

        @Override
        public FileInfo next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            DirectoryEntry entry = page.remove();
            return new FileInfo(
                    directory.child(Name.of(entry.getName().toByteArray())), entry.getAttributes());
        }
    }
}

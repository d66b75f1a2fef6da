package org.gridfarm.client.mount;

import com.google.protobuf.ByteString;

import org.gridfarm.client.core.metadata.RecallListener;
import org.gridfarm.client.mount.fuse.Errno;
import org.gridfarm.client.mount.fuse.KernelCache;
import org.gridfarm.client.mount.fuse.Places;
import org.gridfarm.client.mount.fuse.RawName;
import org.gridfarm.protocol.wire.DataRecall;
import org.gridfarm.protocol.wire.RecallRequest;
import org.gridfarm.protocol.wire.RecalledDirectory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Takes back from the kernel what the metaserver recalls, and answers when the kernel no longer
 * believes it. Never waits for a request of this mount: one of them may itself be waiting for the
 * change that caused the recall.
 */
final class KernelRecalls implements RecallListener {
    private static final Logger log = LoggerFactory.getLogger(KernelRecalls.class);
    private static final long[] NONE = {};

    private final KernelCache cache;
    private final Places places;
    private final Taking taking;

    KernelRecalls(KernelCache cache, Places places, Taking taking) {
        this.taking = taking;
        this.cache = cache;
        this.places = places;
    }

    @Override
    public CompletionStage<Void> recalled(RecallRequest recall, List<RecalledDirectory> changed) {
        Barrier barrier = new Barrier();
        if (recall.getAll()) {
            cache.forgetAllEntries(barrier.one());
        }
        for (RecalledDirectory directory : recall.getDirectoriesList()) {
            cache.recall(
                    directory.getInode(), names(directory.getNamesList()), NONE, barrier.one());
        }
        for (RecalledDirectory directory : changed) {
            for (RawName name : names(directory.getNamesList())) {
                places.changed(directory.getInode(), name); // nobody believes it: nobody waits
            }
        }
        for (long inode : recall.getAttributesList()) {
            cache.recallAttributes(inode, barrier.one());
        }
        for (DataRecall data : recall.getDataList()) {
            if (data.getPrivileges()) {
                taking.givenElsewhere(data.getInode());
                continue;
            }
            cache.recallAttributes(data.getInode(), barrier.one());
            cache.recallData(data.getInode(), barrier.one());
        }
        return barrier.closed();
    }

    private static RawName[] names(List<ByteString> names) {
        RawName[] raw = new RawName[names.size()];
        for (int i = 0; i < raw.length; i++) {
            raw[i] = new RawName(names.get(i).toByteArray());
        }
        return raw;
    }

    /** Completes when all that it handed out are done. */
    private static final class Barrier {
        private final AtomicInteger open = new AtomicInteger(1);
        private final CompletableFuture<Void> all = new CompletableFuture<>();

        KernelCache.Done one() {
            open.incrementAndGet();
            return errno -> {
                if (errno != 0 && errno != Errno.ENOENT) {
                    log.warn("the kernel refused to forget: errno {}", errno);
                }
                leave();
            };
        }

        CompletionStage<Void> closed() {
            leave();
            return all;
        }

        private void leave() {
            if (open.decrementAndGet() == 0) {
                all.complete(null);
            }
        }
    }
}

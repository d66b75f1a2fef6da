package org.gridfarm.client.core.transfer.idle;

import org.gridfarm.client.core.metadata.GivenUp;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What is open on account of former closes, when this client changes something. */
public record Along(KeptOpens kept, RestingWriters resting) implements GivenUp {
    @Override
    public List<Long> take(long[] concerned) {
        return kept.take(concerned);
    }

    @Override
    public @Nullable CompletableFuture<Void> beforeChange(long[] concerned) {
        return resting.closing(concerned);
    }

    @Override
    public CompletableFuture<Void> unnamed(long inode) {
        return CompletableFuture.allOf(kept.unnamed(inode), resting.end(inode));
    }

    @Override
    public void putBack(List<Long> handles) {
        kept.putBack(handles);
    }
}

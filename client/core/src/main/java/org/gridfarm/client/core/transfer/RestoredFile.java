package org.gridfarm.client.core.transfer;

import java.util.concurrent.CompletableFuture;

/**
 * A file that a former process had open.
 *
 * @param ready completes when the handle may be used; fails with the reason why it never may
 */
public record RestoredFile(FileHandle handle, CompletableFuture<Void> ready) {}

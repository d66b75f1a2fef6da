/**
 * Watching directories ({@code java.nio.file.WatchService}). A watcher holds the leases on a
 * directory's listing and on its entries' attributes; when one is recalled, or this client changes
 * something itself, it looks again and tells what differs from what it saw last. While a lease is
 * not to be had (just after a recall, and of files that are being written) it looks again after a
 * second.
 *
 * <p>Knows names, attributes and inode numbers; contents and paths are others' business. One thread
 * for each service makes all of its looks.
 */
@NullMarked
package org.gridfarm.client.core.nio.watch;

import org.jspecify.annotations.NullMarked;

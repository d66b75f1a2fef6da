/**
 * The client library, for programs that live in their own JVM; the API for them stands on it.
 *
 * <p>{@link org.gridfarm.client.core.Gridfarm} is the door: paths, streams and blocking calls. What
 * it stands on may be used directly: {@code metadata} (the namespace by inode number, asynchronous,
 * leased caches), {@code transfer} (open files), {@code session} (the metaservers).
 */
@NullMarked
package org.gridfarm.client.core;

import org.jspecify.annotations.NullMarked;

/**
 * The namespace as a client sees it, by inode number and asynchronously: what the mount works with,
 * and what the Java API stands on.
 *
 * <p>Reads are answered from leased caches where a lease permits it, inline and without a future;
 * everything else asks a metaserver. Mutations are numbered so that repeating one after a change of
 * leader gives its first answer. Never touches file contents.
 */
@NullMarked
package org.gridfarm.client.core.metadata;

import org.jspecify.annotations.NullMarked;

/**
 * The farm as a file system of {@code java.nio.file}: scheme {@code gf}, as in {@code
 * Path.of(URI.create("gf:/data/x"))}.
 *
 * <p>The default farm of a process is opened at the first use, with the configuration that commands
 * use; others are opened with {@code FileSystems.newFileSystem(uri, Map.of("config", file))}.
 * Failures are the exceptions of {@code java.nio.file}, caused by a {@code FarmException}.
 *
 * <p>Names and attributes are durable when the call returns. What a channel writes is in the memory
 * of every replica and seen by every client; with SYNC, DSYNC or {@code force} it is on stable
 * storage. Streams collect up to 8 MiB: their bytes are at the nodes after {@code flush} or {@code
 * close}. A file or directory that is made with {@code posix:permissions} has exactly these from
 * its first moment on.
 *
 * <p>Views of attributes: basic, owner, posix, unix, user and gf (where copies lie). There is none
 * of ACLs, which are POSIX' here and are copied by COPY_ATTRIBUTES. What is not supported is
 * refused with UnsupportedOperationException: other attributes when a file is made, other options,
 * mapping for writing. Watching is in {@code nio.watch}.
 */
@NullMarked
package org.gridfarm.client.core.nio;

import org.jspecify.annotations.NullMarked;

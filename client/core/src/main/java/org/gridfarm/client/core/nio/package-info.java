/**
 * The farm as a file system of {@code java.nio.file}: scheme {@code gf}, as in {@code
 * Path.of(URI.create("gf:/data/x"))}.
 *
 * <p>The default farm of a process is opened at the first use, with the configuration that commands
 * use; others are opened with {@code FileSystems.newFileSystem(uri, Map.of("config", file))}.
 * Failures are the exceptions of {@code java.nio.file}, caused by a {@code FarmException}.
 */
@NullMarked
package org.gridfarm.client.core.nio;

import org.jspecify.annotations.NullMarked;

/**
 * The Java API of a farm, for programs that depend on {@code org.gridfarm:gridfarm-client} and know
 * nothing else of it.
 *
 * <p>{@link org.gridfarm.client.Gridfarm} is the door: contents, names, attributes, replicas and
 * jobs, as blocking calls and, for contents, as futures. Programs that know {@code java.nio.file}
 * need less: {@link org.gridfarm.client.Gridfarm#path} is a {@code Path}, and {@code
 * Path.of(URI.create("gf:/data/x"))} is one in the farm of the usual configuration.
 *
 * <p>Paths are absolute texts, {@code /data/x} or {@code gf:/data/x}. Failures are {@link
 * org.gridfarm.protocol.error.FarmException}s; {@code kind()} says what went wrong, {@code
 * toIoException()} is the same as {@code java.nio.file} would throw it. No type of the wire stands
 * in a signature.
 */
@NullMarked
package org.gridfarm.client;

import org.jspecify.annotations.NullMarked;

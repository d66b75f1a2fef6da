/**
 * What files cost a Java program: by the library, by {@code java.nio.file} on the farm, and by the
 * same calls on the bare disk.
 */
@NullMarked
package org.gridfarm.client.cli.bench.api;

import org.jspecify.annotations.NullMarked;

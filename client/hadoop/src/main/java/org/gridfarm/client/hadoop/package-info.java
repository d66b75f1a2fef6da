/**
 * A farm as a Hadoop file system, for Spark, MapReduce, Hive, Flink and whatever else reads and
 * writes through {@code org.apache.hadoop.fs}. Stands on the public API of {@code
 * org.gridfarm.client} alone.
 *
 * <p>{@link org.gridfarm.client.hadoop.GridfarmFileSystem} is {@code fs.gf.impl}, {@link
 * org.gridfarm.client.hadoop.GridfarmFs} is {@code fs.AbstractFileSystem.gf.impl}. What Hadoop's
 * contract asks otherwise than POSIX (rename into a directory, false in place of an exception) is
 * decided here; the farm knows nothing of it.
 */
@NullMarked
package org.gridfarm.client.hadoop;

import org.jspecify.annotations.NullMarked;

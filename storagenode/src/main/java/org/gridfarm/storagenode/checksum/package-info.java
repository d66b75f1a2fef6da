/**
 * CRC32C per block of 64 KiB, in memory ({@link org.gridfarm.storagenode.checksum.BlockSums}) and
 * in the {@code .sum} file beside a replica ({@link org.gridfarm.storagenode.checksum.SumFile}). A
 * block is summed as if it went on with zeros to its full length, and the sum of a block of zeros
 * is written 0: a hole in the data is a hole in the sums, and growing a file changes no sum. Never
 * reads the data itself.
 */
@NullMarked
package org.gridfarm.storagenode.checksum;

import org.jspecify.annotations.NullMarked;

/**
 * The arithmetic of contents: CRC32C per block of 64 KiB, and the digest that is taken over those.
 * Pure.
 */
@NullMarked
package org.gridfarm.protocol.checksum;

import org.jspecify.annotations.NullMarked;

package org.gridfarm.namespace;

/**
 * What placing and counting copies needs to know of a file.
 *
 * @param data bytes that are in no hole, about: anybody may have a size of terabytes for nothing
 * @param wanted the replica level in force
 * @param stripes objects of the file, at least 1
 * @param groups where copies are wanted, as "siteA:2,siteB:1"; empty: anywhere
 */
public record Content(
        long inode, int generation, long size, long data, int wanted, int stripes, String groups) {
    /** About how much one object of it holds, in bytes. */
    public long objectBytes() {
        return (data + stripes - 1) / stripes;
    }
}

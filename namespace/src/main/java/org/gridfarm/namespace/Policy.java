package org.gridfarm.namespace;

/**
 * How content is to be laid out; shared by all inodes that have the same. A new inode takes the
 * policy of its directory. Immutable.
 *
 * @param replicas copies wanted; 0: the default of the farm
 * @param groups where, as "siteA:2,siteB:1"; empty: anywhere
 * @param stripeCount objects per file; 0 means 1
 * @param stripeUnit bytes
 */
public record Policy(int replicas, String groups, int stripeCount, long stripeUnit) {
    static final Policy NONE = new Policy(0, "", 0, 0);
}

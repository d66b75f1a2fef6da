package org.gridfarm.namespace;

/**
 * What one inode takes of a quota.
 *
 * @param logical bytes of content
 * @param physical bytes of all copies its level asks for
 * @param attributes bytes of names and values of its extended attributes: they lie in the memory of
 *     the metaservers and count as bytes, whatever the level
 * @param parent a directory it is in, 0 when none is known
 */
public record Charge(
        int uid,
        int gid,
        long logical,
        long physical,
        long attributes,
        long parent,
        boolean directory) {
    /** With so many more bytes of attributes, or fewer. */
    public Charge withMoreAttributes(long more) {
        return new Charge(uid, gid, logical, physical, attributes + more, parent, directory);
    }
}

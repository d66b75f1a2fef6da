package org.gridfarm.metaserver.namespace;

/**
 * What one inode takes of a quota.
 *
 * @param logical bytes of content
 * @param physical bytes of all copies its level asks for
 * @param parent a directory it is in, 0 when none is known
 */
public record Charge(
        int uid, int gid, long logical, long physical, long parent, boolean directory) {}

package org.gridfarm.client.mount;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.IntUnaryOperator;

/**
 * Whom the numbers of users and groups mean, here and in the farm: in attributes, in ACLs, and of
 * those who call. Immutable.
 */
record Identities(IdMap users, IdMap groups) {
    static final Identities SAME = new Identities(IdMap.SAME, IdMap.SAME);

    private static final int ACL_HEADER_BYTES = 4;
    private static final int ACL_ENTRY_BYTES = 8;
    private static final int ACL_USER = 2;
    private static final int ACL_GROUP = 8;

    boolean areSame() {
        return users.isSame() && groups.isSame();
    }

    void toLocal(org.gridfarm.client.mount.fuse.Attributes attributes) {
        attributes.uid = users.here(attributes.uid);
        attributes.gid = groups.here(attributes.gid);
    }

    /** Of somebody to whom a file is given; INVALID for one whom the farm cannot know. */
    int farmUid(int local) {
        return known(users, local);
    }

    int farmGid(int local) {
        return known(groups, local);
    }

    private static int known(IdMap map, int local) {
        if (!map.isKnownThere(local)) {
            throw new FarmException(
                    ErrorKind.INVALID,
                    "chown",
                    Integer.toString(local),
                    "the mount's uid and gid mapping gives this number to somebody else");
        }
        return map.there(local);
    }

    /** The value of {@code system.posix_acl_*} with the farm's numbers. */
    byte[] aclToFarm(byte[] value) {
        return acl(value, users::there, groups::there);
    }

    byte[] aclToLocal(byte[] value) {
        return acl(value, users::here, groups::here);
    }

    /** What is no such value is left as it is: whoever gets it says so. */
    private byte[] acl(byte[] value, IntUnaryOperator user, IntUnaryOperator group) {
        boolean wellFormed =
                value.length >= ACL_HEADER_BYTES
                        && (value.length - ACL_HEADER_BYTES) % ACL_ENTRY_BYTES == 0;
        if (areSame() || !wellFormed) {
            return value;
        }
        ByteBuffer entries = ByteBuffer.wrap(value.clone()).order(ByteOrder.LITTLE_ENDIAN);
        for (int at = ACL_HEADER_BYTES; at < value.length; at += ACL_ENTRY_BYTES) {
            int tag = entries.getShort(at);
            int id = entries.getInt(at + 4);
            if (tag == ACL_USER) {
                entries.putInt(at + 4, user.applyAsInt(id));
            } else if (tag == ACL_GROUP) {
                entries.putInt(at + 4, group.applyAsInt(id));
            }
        }
        return entries.array();
    }
}

package org.gridfarm.metaserver.quota;

import org.gridfarm.namespace.Charge;

/** An amount, or a difference of amounts. Immutable. */
public record Usage(long logical, long physical, long inodes) {
    public static final Usage NONE = new Usage(0, 0, 0);

    static Usage of(Charge charge) {
        return new Usage(
                charge.logical() + charge.attributes(), charge.physical() + charge.attributes(), 1);
    }

    Usage plus(Usage other) {
        return new Usage(logical + other.logical, physical + other.physical, inodes + other.inodes);
    }

    Usage negative() {
        return new Usage(-logical, -physical, -inodes);
    }

    boolean isNone() {
        return logical == 0 && physical == 0 && inodes == 0;
    }
}

package org.gridfarm.protocol.auth.ticket;

/** What a ticket allows; bits travel inside it and never change their meaning. */
public record Rights(int bits) {
    public static final Rights READ = new Rights(1);
    public static final Rights WRITE = new Rights(2);

    /** Delete, replicate, verify: what the farm itself does with an object. */
    public static final Rights ADMIN = new Rights(4);

    /**
     * How long it is and when it was written, and nothing of what is in it; who may read may that.
     */
    public static final Rights STAT = new Rights(8);

    public static final Rights READ_WRITE = READ.and(WRITE);
    private static final int KNOWN = 15;

    public Rights {
        if (bits == 0 || (bits & ~KNOWN) != 0) {
            throw new IllegalArgumentException("no such rights: " + bits);
        }
    }

    public Rights and(Rights more) {
        return new Rights(bits | more.bits);
    }

    public boolean cover(Rights needed) {
        int all = (bits & READ.bits) != 0 ? bits | STAT.bits : bits;
        return (all & needed.bits) == needed.bits;
    }

    @Override
    public String toString() {
        return ((bits & 1) != 0 ? "r" : "")
                + ((bits & 2) != 0 ? "w" : "")
                + ((bits & 4) != 0 ? "a" : "")
                + ((bits & 8) != 0 ? "s" : "");
    }
}

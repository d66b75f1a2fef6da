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

    /**
     * To write what another node passes on, and what a kernel on the same host writes: of a member
     * of a chain that is not its head. Who may write at the head may that.
     */
    public static final Rights CHAINED = new Rights(16);

    public static final Rights READ_WRITE = READ.and(WRITE);
    public static final Rights READ_CHAINED = READ.and(CHAINED);
    private static final int KNOWN = 31;

    public Rights {
        if (bits == 0 || (bits & ~KNOWN) != 0) {
            throw new IllegalArgumentException("no such rights: " + bits);
        }
    }

    public Rights and(Rights more) {
        return new Rights(bits | more.bits);
    }

    public boolean cover(Rights needed) {
        int all =
                bits
                        | ((bits & READ.bits) != 0 ? STAT.bits : 0)
                        | ((bits & WRITE.bits) != 0 ? CHAINED.bits : 0);
        return (all & needed.bits) == needed.bits;
    }

    @Override
    public String toString() {
        return ((bits & 1) != 0 ? "r" : "")
                + ((bits & 2) != 0 ? "w" : "")
                + ((bits & 4) != 0 ? "a" : "")
                + ((bits & 8) != 0 ? "s" : "")
                + ((bits & 16) != 0 ? "c" : "");
    }
}

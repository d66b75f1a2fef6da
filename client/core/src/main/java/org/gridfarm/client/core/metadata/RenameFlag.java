package org.gridfarm.client.core.metadata;

/** The flags of renameat2(2). */
public enum RenameFlag {
    /** Refuse with ALREADY_EXISTS where the new name exists. */
    NO_REPLACE,

    /** The two names change places; alone. */
    EXCHANGE,

    /** A character device 0:0 takes the old name, which hides what a layer below has there. */
    WHITEOUT
}

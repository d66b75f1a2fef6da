package org.gridfarm.client;

/** What an open file is for. */
public enum OpenMode {
    READ,
    WRITE,
    READ_WRITE,
    /** Every write goes to the end, wherever that is when it arrives. */
    APPEND
}

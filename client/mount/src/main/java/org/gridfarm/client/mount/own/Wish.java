package org.gridfarm.client.mount.own;

/** Which directories a mount would decide in. */
public enum Wish {
    NONE,
    /** Those that it makes. */
    BORN,
    /** Also others in which it goes on changing names. */
    ALL
}

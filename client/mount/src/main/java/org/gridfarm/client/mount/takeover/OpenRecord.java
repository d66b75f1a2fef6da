package org.gridfarm.client.mount.takeover;

import org.gridfarm.protocol.wire.Credentials;

/**
 * One open file as the next process must know it.
 *
 * @param number the kernel's handle
 * @param server the metaserver's handle
 * @param request the kernel's number of the open that made it
 * @param mode how the kernel was told to treat it, with the backing's number if passed through
 * @param access bits of {@link #READ} and the like
 * @param generation of the content when it was opened
 * @param staged number of the staged file it was made of; 0: none
 * @param file which one of this host the kernel writes, as {@code FileIdentity.number} tells; 0:
 *     none, or not known
 */
public record OpenRecord(
        long number,
        long inode,
        long server,
        long request,
        int mode,
        int backing,
        int access,
        int generation,
        long staged,
        long file,
        Credentials who) {
    public static final int READ = 1;
    public static final int WRITE = 2;
    public static final int APPEND = 4;
    public static final int EXECUTE = 8;

    /** The kernel writes into the local replica. */
    public static final int KERNEL_WRITES = 16;

    /** It says which file the kernel writes. */
    static final int FILE_KNOWN = 32;

    public boolean has(int bit) {
        return (access & bit) != 0;
    }
}

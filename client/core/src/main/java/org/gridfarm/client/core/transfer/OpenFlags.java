package org.gridfarm.client.core.transfer;

/**
 * How a file is opened.
 *
 * @param truncate empty it first; needs write
 * @param append every write goes to the end, wherever that is when it arrives at the chain's head
 * @param execute to be run: execute permission is checked instead of read permission
 * @param local the kernel shall write the bytes of a file that begins empty itself, where that can
 *     be: {@link FileHandle#openLocal} follows
 */
public record OpenFlags(
        boolean read,
        boolean write,
        boolean truncate,
        boolean append,
        boolean execute,
        boolean local) {
    public static final OpenFlags READ = new OpenFlags(true, false, false, false, false);
    public static final OpenFlags WRITE = new OpenFlags(false, true, false, false, false);
    public static final OpenFlags READ_WRITE = new OpenFlags(true, true, false, false, false);

    public OpenFlags(
            boolean read, boolean write, boolean truncate, boolean append, boolean execute) {
        this(read, write, truncate, append, execute, false);
    }

    public OpenFlags truncating() {
        return new OpenFlags(read, write, true, append, execute, local);
    }

    public OpenFlags appending() {
        return new OpenFlags(read, write, truncate, true, execute, local);
    }

    public OpenFlags locally() {
        return new OpenFlags(read, write, truncate, append, execute, true);
    }
}

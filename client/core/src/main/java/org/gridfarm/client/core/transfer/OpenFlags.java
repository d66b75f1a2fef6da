package org.gridfarm.client.core.transfer;

/**
 * How a file is opened.
 *
 * @param truncate empty it first; needs write
 * @param append every write goes to the end, wherever that is when it arrives at the chain's head
 * @param execute to be run: execute permission is checked instead of read permission
 */
public record OpenFlags(
        boolean read, boolean write, boolean truncate, boolean append, boolean execute) {
    public static final OpenFlags READ = new OpenFlags(true, false, false, false, false);
    public static final OpenFlags WRITE = new OpenFlags(false, true, false, false, false);
    public static final OpenFlags READ_WRITE = new OpenFlags(true, true, false, false, false);

    public OpenFlags truncating() {
        return new OpenFlags(read, write, true, append, execute);
    }

    public OpenFlags appending() {
        return new OpenFlags(read, write, truncate, true, execute);
    }
}

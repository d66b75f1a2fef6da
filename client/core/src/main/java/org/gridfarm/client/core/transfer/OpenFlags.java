package org.gridfarm.client.core.transfer;

/**
 * How a file is opened.
 *
 * @param truncate empty it first; needs write
 * @param append every write goes to the end, wherever that is when it arrives at the chain's head
 * @param execute to be run: execute permission is checked, and read permission where the client
 *     does not speak for others
 * @param local the kernel shall write the bytes of a file that begins empty itself, where that can
 *     be: {@link FileHandle#openLocal} follows
 * @param keepsPrivileges set-user and set-group bits and capabilities do not go with an open for
 *     writing: who opens takes them away before the first write, on behalf of who writes
 */
public record OpenFlags(
        boolean read,
        boolean write,
        boolean truncate,
        boolean append,
        boolean execute,
        boolean local,
        boolean keepsPrivileges) {
    public static final OpenFlags READ = new OpenFlags(true, false, false, false, false);
    public static final OpenFlags WRITE = new OpenFlags(false, true, false, false, false);
    public static final OpenFlags READ_WRITE = new OpenFlags(true, true, false, false, false);

    public OpenFlags(
            boolean read, boolean write, boolean truncate, boolean append, boolean execute) {
        this(read, write, truncate, append, execute, false, false);
    }

    public OpenFlags truncating() {
        return new OpenFlags(read, write, true, append, execute, local, keepsPrivileges);
    }

    public OpenFlags appending() {
        return new OpenFlags(read, write, truncate, true, execute, local, keepsPrivileges);
    }

    public OpenFlags locally() {
        return new OpenFlags(read, write, truncate, append, execute, true, keepsPrivileges);
    }

    public OpenFlags keepingPrivileges() {
        return new OpenFlags(read, write, truncate, append, execute, local, true);
    }
}

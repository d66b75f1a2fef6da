package org.gridfarm.client.core;

/**
 * The permissions of what is made. Where its directory has a default ACL, that stands in place of
 * the umask.
 *
 * @param bits 07777
 * @param umask what is taken away from them
 */
public record NewMode(int bits, int umask) {
    private static final int UMASK = 0022;

    public static final NewMode FILE = new NewMode(0666, UMASK);
    public static final NewMode DIRECTORY = new NewMode(0777, UMASK);

    /** These bits and no others. */
    public static NewMode exactly(int bits) {
        return new NewMode(bits, 0);
    }

    /** These bits as far as a newcomer's umask leaves them, as {@code cp} does it. */
    public static NewMode masked(int bits) {
        return new NewMode(bits, UMASK);
    }
}

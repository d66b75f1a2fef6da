package org.gridfarm.client.mount.own;

/**
 * How a mount stands that decides by itself. Counts are of this process.
 *
 * @param wish in which directories it would decide
 * @param directories of its own now
 * @param inodes that it keeps for that
 * @param waiting commands that the leader is still to be told
 * @param oldestMillis since the first of them was answered: so much would go with this host
 * @param shipments that the leader has answered
 * @param shipped commands in them that it took
 * @param different of these, come to something else there
 * @param lost commands that programs were answered and nobody will be told of
 * @param opens of files that no server was asked for
 * @param taken directories that were there before
 */
public record OwnFigures(
        Wish wish,
        int directories,
        long inodes,
        int waiting,
        long oldestMillis,
        long shipments,
        long shipped,
        long different,
        long lost,
        long opens,
        long taken) {
    public static final OwnFigures NONE = new OwnFigures(Wish.NONE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    /** A line for each, as in the control file. */
    public String text() {
        return "writebehind "
                + mode()
                + "\nown_directories "
                + directories
                + "\nown_inodes "
                + inodes
                + "\ncommands_waiting "
                + waiting
                + "\noldest_waiting_millis "
                + oldestMillis
                + "\nshipments "
                + shipments
                + "\ncommands_shipped "
                + shipped
                + "\ncommands_different "
                + different
                + "\ncommands_lost "
                + lost
                + "\nopens_without_call "
                + opens
                + "\ndirectories_taken "
                + taken
                + "\n";
    }

    private String mode() {
        return switch (wish) {
            case NONE -> "off";
            case BORN -> "born";
            case ALL -> "on";
        };
    }
}

package org.gridfarm.client.mount.own;

/**
 * How a mount stands that decides by itself. Counts are of this process.
 *
 * @param born what is made in new directories is decided here
 * @param directories of its own now
 * @param inodes that it keeps for that
 * @param waiting commands that the leader is still to be told
 * @param oldestMillis since the first of them was answered: so much would go with this host
 * @param shipments that the leader has answered
 * @param shipped commands in them that it took
 * @param different of these, come to something else there
 * @param lost commands that programs were answered and nobody will be told of
 * @param opens of files that no server was asked for
 */
public record OwnFigures(
        boolean born,
        int directories,
        long inodes,
        int waiting,
        long oldestMillis,
        long shipments,
        long shipped,
        long different,
        long lost,
        long opens) {
    public static final OwnFigures NONE = new OwnFigures(false, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    /** A line for each, as in the control file. */
    public String text() {
        return "writebehind "
                + (born ? "born" : "off")
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
                + "\n";
    }
}

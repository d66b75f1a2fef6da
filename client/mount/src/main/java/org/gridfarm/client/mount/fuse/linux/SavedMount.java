package org.gridfarm.client.mount.fuse.linux;

import java.nio.file.Path;

/// All that another process needs, besides the open device itself, to go on serving a mount; a line
/// of text.
///
/// @param fd number of the device in the process that reads this
/// @param point where it is mounted
/// @param device number of the connection
public record SavedMount(int fd, Path point, int device, int minor, long flags, int writeBytesMax) {

    private static final String VERSION = "gf-mount-1";

    /// As one line, the mount point last.
    public String text() {
        return String.join(
                " ",
                VERSION,
                String.valueOf(fd),
                String.valueOf(device),
                String.valueOf(minor),
                Long.toHexString(flags),
                String.valueOf(writeBytesMax),
                point.toString());
    }

    public static SavedMount parse(String text) {
        String[] words = text.split(" ", 7);
        if (words.length != 7 || !words[0].equals(VERSION)) {
            throw new IllegalArgumentException("not a saved mount: " + text);
        }
        return new SavedMount(
                Integer.parseInt(words[1]),
                Path.of(words[6]),
                Integer.parseInt(words[2]),
                Integer.parseInt(words[3]),
                Long.parseUnsignedLong(words[4], 16),
                Integer.parseInt(words[5]));
    }

    /// The same device under another number.
    public SavedMount withFd(int number) {
        return new SavedMount(number, point, device, minor, flags, writeBytesMax);
    }

    Negotiation negotiation() {
        return new Negotiation(minor, flags, writeBytesMax);
    }
}

package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.operand.HostNames;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.FileType;

import java.util.LinkedHashMap;
import java.util.Map;

/** Attributes in the words and the JSON keys that all commands share. */
final class Describe {
    private Describe() {}

    static Map<String, Object> file(String path, Attributes a) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("path", path);
        document.put("inode", a.getInode());
        document.put("type", type(a.getType()));
        document.put("mode", String.format("%04o", a.getMode()));
        document.put("links", a.getNlink());
        document.put("uid", a.getUid());
        document.put("gid", a.getGid());
        document.put("size", a.getSize());
        document.put("atime_ns", a.getAtime());
        document.put("mtime_ns", a.getMtime());
        document.put("ctime_ns", a.getCtime());
        document.put("generation", a.getGeneration());
        document.put("replicas", a.getReplicasWanted());
        return document;
    }

    static String type(FileType type) {
        return switch (type) {
            case REGULAR -> "file";
            case DIRECTORY -> "directory";
            case SYMLINK -> "symlink";
            case FIFO -> "fifo";
            case SOCKET -> "socket";
            case CHARACTER_DEVICE -> "character device";
            case BLOCK_DEVICE -> "block device";
            case FILE_TYPE_UNSPECIFIED, UNRECOGNIZED -> "unknown";
        };
    }

    /** As ls -l shows it: drwxr-xr-x. */
    static String mode(Attributes a) {
        char kind =
                switch (a.getType()) {
                    case DIRECTORY -> 'd';
                    case SYMLINK -> 'l';
                    case FIFO -> 'p';
                    case SOCKET -> 's';
                    case CHARACTER_DEVICE -> 'c';
                    case BLOCK_DEVICE -> 'b';
                    case REGULAR, FILE_TYPE_UNSPECIFIED, UNRECOGNIZED -> '-';
                };
        int m = a.getMode();
        return kind
                + three(m >> 6, (m & 04000) != 0, 's')
                + three(m >> 3, (m & 02000) != 0, 's')
                + three(m, (m & 01000) != 0, 't');
    }

    private static String three(int bits, boolean special, char letter) {
        boolean execute = (bits & 1) != 0;
        char last =
                special ? (execute ? letter : Character.toUpperCase(letter)) : execute ? 'x' : '-';
        return "" + ((bits & 4) != 0 ? 'r' : '-') + ((bits & 2) != 0 ? 'w' : '-') + last;
    }

    static String user(int uid) {
        return HostNames.user(uid);
    }

    static String group(int gid) {
        return HostNames.group(gid);
    }
}

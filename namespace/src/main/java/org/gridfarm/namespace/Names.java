package org.gridfarm.namespace;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NameText;

/** What may be a name. */
final class Names {
    private static final byte[] DOT = {'.'};
    private static final byte[] DOT_DOT = {'.', '.'};

    private Names() {}

    static boolean isDot(byte[] name) {
        return name.length == DOT.length && name[0] == '.';
    }

    static boolean isDotDot(byte[] name) {
        return name.length == DOT_DOT.length && name[0] == '.' && name[1] == '.';
    }

    /** Refuses what cannot be looked for; "." and ".." are left to the caller. */
    static byte[] searched(ByteString name, String operation) {
        byte[] bytes = name.toByteArray();
        if (bytes.length == 0) {
            throw new FarmException(ErrorKind.NOT_FOUND, operation, "", "empty name");
        }
        if (bytes.length > Limits.NAME_BYTES_MAX) {
            throw new FarmException(ErrorKind.NAME_TOO_LONG, operation, text(bytes));
        }
        for (byte b : bytes) {
            if (b == '/' || b == 0) {
                throw new FarmException(
                        ErrorKind.INVALID, operation, text(bytes), "holds '/' or NUL");
            }
        }
        return bytes;
    }

    /** A name that something is to get. */
    static byte[] fresh(ByteString name, String operation) {
        byte[] bytes = searched(name, operation);
        if (isDot(bytes) || isDotDot(bytes)) {
            throw new FarmException(ErrorKind.ALREADY_EXISTS, operation, text(bytes));
        }
        return bytes;
    }

    static String text(byte[] name) {
        return NameText.of(name);
    }

    static String text(long inode) {
        return "inode " + Long.toHexString(inode);
    }
}

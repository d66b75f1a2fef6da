package org.gridfarm.client.core.transfer;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

/** Which file of this host it is, whatever its path: no other has both while it is open. */
public record FileIdentity(long device, long inode) {
    private static final int DEVICE_BITS = 20; // what the numbers of a host's devices take

    /** Of the regular file at the path; a link there is none. */
    public static FileIdentity of(Path path) throws IOException {
        Map<String, Object> seen =
                Files.readAttributes(path, "unix:dev,ino,isRegularFile", LinkOption.NOFOLLOW_LINKS);
        if (!Boolean.TRUE.equals(seen.get("isRegularFile"))) {
            throw new FileSystemException(path.toString(), null, "no regular file");
        }
        return new FileIdentity(number(seen.get("dev")), number(seen.get("ino")));
    }

    private static long number(@Nullable Object attribute) {
        return (long) Objects.requireNonNull(attribute); // the view of Unix has both
    }

    /** What the next process may know it by; 0: it is not known. */
    public static long number(@Nullable FileIdentity identity) {
        if (identity == null) return 0;
        long number = Long.rotateRight(identity.device, DEVICE_BITS) ^ identity.inode;
        return number == 0 ? 1 : number;
    }
}

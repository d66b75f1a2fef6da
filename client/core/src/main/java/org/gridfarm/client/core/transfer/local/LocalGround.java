package org.gridfarm.client.core.transfer.local;

import org.gridfarm.protocol.env.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which plain files of this host the attached node may name. A mount of root can open all of them
 * and hands what it opens to users, while the node may be another account, or somebody who poses as
 * it. So: a replica or staged file in the place that its name gives it in a data directory, a
 * regular file, of the same owner as that directory, in which nobody else writes. Thread-safe.
 */
public final class LocalGround {
    private static final Logger log = LoggerFactory.getLogger(LocalGround.class);

    private static final Pattern PLACE =
            Pattern.compile(
                    "(/.*)/(objects/[0-9a-f]{2}/[0-9a-f]{2}/[0-9a-f]{1,16}\\.[0-9]{1,10}\\.[0-9]{1,10}"
                            + "|staged/([0-9a-f]{1,2}/)?[0-9a-f]{1,16}(\\.[0-9a-f]{16})?)");

    private static final int TYPE = 0170000;
    private static final int REGULAR = 0100000;
    private static final int DIRECTORY = 0040000;
    private static final int OTHERS_WRITE = 0022;

    /** What this process may not open now it may not open soon: the node is asked for the bytes. */
    private static final Duration DENIED_FOR = Duration.ofMinutes(1);

    private static final Duration LOOKED_AT_FOR = Duration.ofSeconds(1);

    /** A node has some disks. */
    private static final int SEEN_MAX = 64;

    private record Seen(Object owner, long at) {}

    private final Clock clock;
    private final List<Path> directories;
    private final Map<Path, Seen> seen = new ConcurrentHashMap<>(); // by data directory
    private volatile boolean warned;
    private volatile long deniedAt;
    private volatile boolean denied;

    /**
     * @param directories data directories of the node; empty: any
     */
    LocalGround(Clock clock, List<Path> directories) {
        this.clock = clock;
        this.directories = directories.stream().map(LocalGround::real).toList();
    }

    private static Path real(Path directory) {
        try {
            return directory.toRealPath();
        } catch (IOException e) {
            return directory.toAbsolutePath().normalize(); // it may not be made yet
        }
    }

    /** False: the last one could not be opened by this account, and so it is with all others. */
    public boolean isOpen() {
        return !denied || clock.nanoTime() - deniedAt >= DENIED_FOR.toNanos();
    }

    /** Notes why a file that the node has named could not be opened. */
    public void failed(IOException e) {
        if (e instanceof AccessDeniedException) {
            deniedAt = clock.nanoTime();
            denied = true;
        }
    }

    /** Refuses a file that is none of the node's. */
    public void check(String path) throws IOException {
        try {
            Matcher place = PLACE.matcher(path);
            if (!place.matches() || !Path.of(path).normalize().toString().equals(path)) {
                throw new IOException("it is no place of a replica");
            }
            Path root = Path.of(place.group(1));
            if (!directories.isEmpty() && !directories.contains(root)) {
                throw new IOException("it is not below node_data");
            }
            if (!ownerOf(root).equals(owner(Path.of(path), REGULAR))) {
                throw new IOException("it has another owner than " + root);
            }
        } catch (java.nio.file.FileSystemException e) {
            throw e; // gone, or not for this account
        } catch (IOException e) {
            if (!warned) {
                warned = true;
                log.warn(
                        "the attached node names {} as a local file: {}; what it names so is read through it",
                        path,
                        e.getMessage());
            }
            throw e;
        }
    }

    /** Of a data directory, which is looked at now and then, and not for each short file in it. */
    private Object ownerOf(Path root) throws IOException {
        Seen last = seen.get(root);
        long now = clock.nanoTime();
        if (last != null && now - last.at < LOOKED_AT_FOR.toNanos()) return last.owner;
        Object owner = owner(root, DIRECTORY);
        if (!owner.equals(owner(root.resolve("version"), REGULAR))) {
            throw new IOException("its file of the version has another owner than " + root);
        }
        if (seen.size() >= SEEN_MAX) seen.clear();
        seen.put(root, new Seen(owner, now));
        return owner;
    }

    private static Object owner(Path path, int type) throws IOException {
        Map<String, Object> attributes;
        try {
            attributes = Files.readAttributes(path, "unix:uid,mode", LinkOption.NOFOLLOW_LINKS);
        } catch (UnsupportedOperationException e) {
            throw new IOException("this system does not tell owners", e);
        }
        Integer mode = (Integer) attributes.get("mode");
        Object owner = attributes.get("uid");
        if (mode == null || owner == null) {
            throw new IOException("this system does not tell owners");
        }
        if ((mode & TYPE) != type) {
            throw new IOException(
                    path + (type == DIRECTORY ? " is no directory" : " is no regular file"));
        }
        if (type == DIRECTORY && (mode & OTHERS_WRITE) != 0) {
            throw new IOException("others may write in " + path);
        }
        return owner;
    }
}

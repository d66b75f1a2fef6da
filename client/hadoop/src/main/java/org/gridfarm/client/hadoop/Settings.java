package org.gridfarm.client.hadoop;

import org.apache.hadoop.conf.Configuration;

import java.io.IOException;
import java.net.URI;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The options of Hadoop's configuration, {@code fs.gf.NAME}. A URI with an authority, {@code
 * gf://archive/}, is another farm: {@code fs.gf.archive.NAME} counts there first, and {@code
 * fs.gf.archive.config} has to be there.
 */
final class Settings {
    static final String SCHEME = "gf";

    /** The file that {@code GF_CONFIG} names otherwise. */
    static final String CONFIG = "config";

    /** The storage node on this host, where the file does not name the right one. */
    static final String NODE = "node";

    /** The longest that a call may take, as {@code 30s}. */
    static final String TIMEOUT = "timeout";

    /** Bytes by which jobs split files, as {@code 128m}. */
    static final String BLOCK_SIZE = "block.size";

    /** Most bytes that are read at once of a file that is read from begin to end. */
    static final String READ_BUFFER = "read.buffer";

    /** Whether addresses that are numbers are told to schedulers by name. */
    static final String RESOLVE_HOSTS = "hosts.resolve";

    /** What the host of one node is called, as in {@code fs.gf.host.n1}. */
    static final String HOST_OF = "host.";

    /** {@code digest}: getFileChecksum tells the farm's; {@code none}: nothing. */
    static final String CHECKSUM = "checksum";

    private static final long BLOCK_BYTES = 128L << 20;
    private static final int READ_BYTES = 1 << 20;
    private static final int READ_BYTES_MIN = 4 << 10;
    private static final int READ_BYTES_MAX = 64 << 20;

    private final Configuration configuration;
    private final String authority;

    Settings(URI name, Configuration configuration) throws IOException {
        this.configuration = configuration;
        authority = name.getAuthority() == null ? "" : name.getAuthority();
        if (!authority.isEmpty() && configuration.getTrimmed(own(CONFIG)) == null) {
            throw new IOException(
                    name
                            + ": farm "
                            + authority
                            + " is not known: set "
                            + own(CONFIG)
                            + " to its client's configuration file, or write gf:/// for the farm of fs.gf.config");
        }
        understood(TIMEOUT, this::timeout);
        if (understood(BLOCK_SIZE, this::blockSize) <= 0) {
            throw new IOException(
                    key(BLOCK_SIZE) + " is " + blockSize() + ": at least 1 is needed");
        }
        int read = understood(READ_BUFFER, this::readBuffer);
        if (read < READ_BYTES_MIN || read > READ_BYTES_MAX) {
            throw new IOException(
                    key(READ_BUFFER) + " is " + read + ": from 4k to 64m are possible");
        }
        String checksum = text(CHECKSUM).orElse("none");
        if (!checksum.equals("none") && !checksum.equals("digest")) {
            throw new IOException(key(CHECKSUM) + " is " + checksum + ": none or digest");
        }
    }

    private <T> T understood(String name, Supplier<T> reading) throws IOException {
        try {
            return reading.get();
        } catch (IllegalArgumentException e) { // of Hadoop, which does not name the option
            throw new IOException(
                    key(name) + " is " + text(name).orElse("") + ": write 30s, 128m or the like",
                    e);
        }
    }

    private String own(String name) {
        return "fs.gf." + authority + '.' + name;
    }

    /** The one that counts. */
    private String key(String name) {
        return !authority.isEmpty() && configuration.getTrimmed(own(name)) != null
                ? own(name)
                : "fs.gf." + name;
    }

    Optional<String> text(String name) {
        String found = configuration.getTrimmed(key(name));
        return found == null || found.isEmpty() ? Optional.empty() : Optional.of(found);
    }

    /** Milliseconds; empty: as the farm's configuration says. */
    Optional<Long> timeout() {
        return text(TIMEOUT)
                .map(text -> configuration.getTimeDuration(key(TIMEOUT), 0, TimeUnit.MILLISECONDS));
    }

    long blockSize() {
        return configuration.getLongBytes(key(BLOCK_SIZE), BLOCK_BYTES);
    }

    int readBuffer() {
        return (int)
                Math.min(
                        Integer.MAX_VALUE,
                        configuration.getLongBytes(key(READ_BUFFER), READ_BYTES));
    }

    boolean resolvesHosts() {
        return configuration.getBoolean(key(RESOLVE_HOSTS), true);
    }

    boolean tellsDigests() {
        return text(CHECKSUM).filter("digest"::equals).isPresent();
    }

    /** What the host of a node is to be called, where that is said. */
    Optional<String> host(String node) {
        return text(HOST_OF + node);
    }
}

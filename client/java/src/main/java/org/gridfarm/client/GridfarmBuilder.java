package org.gridfarm.client;

import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.protocol.config.Config;
import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * How to connect. What is not said is as in the configuration file; with {@link #metaservers} no
 * file is read. For one thread.
 */
public final class GridfarmBuilder {
    private @Nullable Path configuration;
    private List<String> metaservers = List.of();
    private List<String> schedulers = List.of();
    private @Nullable Path credential;
    private @Nullable Path trust;
    private @Nullable String node;
    private @Nullable Duration timeout;
    private @Nullable Long cacheBytes;
    private String client = "java@" + ProcessHandle.current().pid();
    private String account = "";

    GridfarmBuilder() {}

    /** This file in place of the one that {@code GF_CONFIG} or the usual places name. */
    public GridfarmBuilder configuration(Path file) {
        configuration = file;
        return this;
    }

    /** {@code host:port} of each; {@link #trust} is needed then. */
    public GridfarmBuilder metaservers(String... addresses) {
        metaservers = List.of(addresses);
        return this;
    }

    /** {@code host:port} of each, beside {@link #metaservers}; only for jobs. */
    public GridfarmBuilder schedulers(String... addresses) {
        schedulers = List.of(addresses);
        return this;
    }

    /** Certificate and key in one file, beside {@link #metaservers}; else the user's proxy. */
    public GridfarmBuilder credential(Path file) {
        credential = file;
        return this;
    }

    /** Certificates of authorities: a file or a folder. */
    public GridfarmBuilder trust(Path files) {
        trust = files;
        return this;
    }

    /** The storage node on this host, whose copies are read from the disk; empty: none. */
    public GridfarmBuilder node(String name) {
        node = name;
        return this;
    }

    /** The longest any call may take. */
    public GridfarmBuilder timeout(Duration longest) {
        timeout = longest;
        return this;
    }

    /** Names and attributes kept under lease; 0: nothing is. */
    public GridfarmBuilder cacheBytes(long bytes) {
        cacheBytes = bytes;
        return this;
    }

    /** Which of one's accounts in the farm; else GF_ACCOUNT, the configuration's, the first. */
    public GridfarmBuilder account(String name) {
        account = name;
        return this;
    }

    /** What the farm's administrators see as this client's name. */
    public GridfarmBuilder clientName(String name) {
        client = name;
        return this;
    }

    /**
     * Fails within the time-out where no metaserver can be reached, or it refuses:
     * BAD_CONFIGURATION says what is wrong in which file, UNAVAILABLE which addresses were tried.
     */
    public Gridfarm connect() {
        ClientConfig config =
                metaservers.isEmpty()
                        ? ClientConfig.find(Optional.ofNullable(configuration))
                        : Config.read(written(), Path.of("builder"), ClientConfig::of);
        if (node != null) {
            config = config.withNode(node);
        }
        if (timeout != null) {
            config = config.withTimeout(timeout);
        }
        if (cacheBytes != null) {
            config = config.withCache(cacheBytes);
        }
        config = config.withAccount(account);
        return new Gridfarm(org.gridfarm.client.core.Gridfarm.open(config, client));
    }

    /** As the file would be, so that both are judged by the same rules. */
    private String written() {
        StringBuilder text = new StringBuilder();
        text.append("metaservers = ").append(list(metaservers)).append('\n');
        if (!schedulers.isEmpty()) {
            text.append("scheduler = ").append(list(schedulers)).append('\n');
        }
        text.append("[tls]\n");
        if (credential != null) {
            text.append("credential = ").append(quoted(credential.toAbsolutePath().toString()));
            text.append('\n');
        }
        if (trust != null) {
            text.append("trust = ").append(quoted(trust.toAbsolutePath().toString())).append('\n');
        }
        return text.toString();
    }

    private static String list(List<String> words) {
        return words.stream()
                .map(GridfarmBuilder::quoted)
                .collect(Collectors.joining(", ", "[", "]"));
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}

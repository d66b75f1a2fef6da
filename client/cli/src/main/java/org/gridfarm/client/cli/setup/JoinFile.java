package org.gridfarm.client.cli.setup;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import java.util.List;
import java.util.SortedMap;

/**
 * What a host needs to join: one JSON document with the keys of its node and mount, to be kept
 * secret until it is used and removed afterwards.
 *
 * @param version of this form
 * @param files by their names below /etc/gridfarm: certificates and keys, what is trusted, the map
 */
record JoinFile(
        int version,
        String host,
        String node,
        List<String> metaservers,
        List<String> schedulers,
        SortedMap<String, String> files) {
    private static final int VERSION = 1;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    static JoinFile of(
            String host,
            String node,
            List<String> metaservers,
            List<String> schedulers,
            SortedMap<String, String> files) {
        return new JoinFile(VERSION, host, node, metaservers, schedulers, files);
    }

    String text() {
        return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(this) + "\n";
    }

    /** Refuses what is no such file, is of another version, or would write elsewhere. */
    static JoinFile parse(String text, String from) {
        JoinFile file;
        try {
            file = JSON.readValue(text, JoinFile.class);
        } catch (JacksonException e) {
            throw bad(from, "not a file of gf node add", e);
        }
        if (file.version != VERSION) {
            throw bad(
                    from,
                    "it has version "
                            + file.version
                            + ", this program knows "
                            + VERSION
                            + ": install the same release on both hosts",
                    null);
        }
        if (file.host == null
                || file.node == null
                || file.metaservers == null
                || file.files == null) {
            throw bad(from, "it is not complete: make it again with gf node add", null);
        }
        for (String name : file.files.keySet()) {
            if (!name.matches("grid-mapfile|tls/(ca/)?[A-Za-z0-9][A-Za-z0-9._-]*")) {
                throw bad(from, "it would write " + name, null);
            }
        }
        return file;
    }

    private static FarmException bad(
            String from, String why, @org.jspecify.annotations.Nullable Exception cause) {
        return new FarmException(ErrorKind.USAGE, "join", from, why, cause);
    }
}

package org.gridfarm.client.cli.cluster;

import java.nio.file.Path;
import java.util.Map;

/** Where this user's trial clusters keep what they have in common. */
final class OwnCache {
    private OwnCache() {}

    static Path directory() {
        Map<String, String> environment = System.getenv();
        String home = environment.getOrDefault("HOME", System.getProperty("user.home"));
        return Path.of(environment.getOrDefault("XDG_CACHE_HOME", home + "/.cache"), "gridfarm");
    }
}

package org.gridfarm.protocol.auth;

import org.gridfarm.protocol.auth.x509.SecretFile;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Where a person's bearer token is found, in the order of the WLCG: in {@code BEARER_TOKEN}, in the
 * file that {@code BEARER_TOKEN_FILE} names, in {@code $XDG_RUNTIME_DIR/bt_uUID}, in {@code
 * /tmp/bt_uUID}. The first that is there counts. What a failure says holds nothing of it.
 */
public final class BearerToken {
    private final Map<String, String> environment;
    private final Path shared;

    BearerToken(Map<String, String> environment, Path shared) {
        this.environment = environment;
        this.shared = shared;
    }

    /** Of this process. */
    public static BearerToken ofEnvironment() {
        return new BearerToken(System.getenv(), Path.of("/tmp"));
    }

    /** Some place holds one. */
    public boolean isThere() {
        return named("BEARER_TOKEN").isPresent() || file().isPresent();
    }

    /** As it is now, without white space around it; BAD_CONFIGURATION where there is none. */
    public String read() {
        Optional<String> direct = named("BEARER_TOKEN");
        if (direct.isPresent()) return direct.get().strip();
        Path file =
                file().orElseThrow(() ->
                        new FarmException(
                                ErrorKind.BAD_CONFIGURATION,
                                "find token",
                                "",
                                "neither BEARER_TOKEN nor BEARER_TOKEN_FILE is set, and there is no"
                                        + " $XDG_RUNTIME_DIR/bt_u* and no /tmp/bt_u* of this user"));
        // Whoever names a file knows who may read it; the well-known ones must be one's own.
        boolean isNamed = named("BEARER_TOKEN_FILE").isPresent();
        return (isNamed ? SecretFile.readPublic(file) : SecretFile.read(file)).strip();
    }

    private Optional<String> named(String variable) {
        return Optional.ofNullable(environment.get(variable)).filter(text -> !text.isBlank());
    }

    private Optional<Path> file() {
        Optional<Path> named = named("BEARER_TOKEN_FILE").map(Path::of);
        if (named.isPresent()) return named;
        try {
            Object uid = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
            String name = "bt_u" + uid;
            Optional<Path> own =
                    named("XDG_RUNTIME_DIR")
                            .map(directory -> Path.of(directory, name))
                            .filter(Files::exists);
            if (own.isPresent()) return own;
            // Anybody may put a link there, also to a file of this user that is no token.
            Path common = shared.resolve(name);
            boolean mine =
                    Files.isRegularFile(common, LinkOption.NOFOLLOW_LINKS)
                            && Files.getAttribute(common, "unix:uid", LinkOption.NOFOLLOW_LINKS)
                                    .equals(uid);
            return mine ? Optional.of(common) : Optional.empty();
        } catch (IOException | UnsupportedOperationException e) {
            return Optional.empty(); // no system where the others could be
        }
    }
}

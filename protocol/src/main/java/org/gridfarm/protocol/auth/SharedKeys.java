package org.gridfarm.protocol.auth;

import org.gridfarm.protocol.auth.x509.SecretFile;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The keys of a small site, by which people prove who they are instead of with a certificate. A
 * server's file has a line {@code ID ACCOUNT SECRET} for each, a person's file has his own alone.
 * Both have mode 600. Immutable.
 */
public final class SharedKeys {
    private static final int SECRET_BYTES = 32;
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._@-]{0,63}");

    /**
     * Its text form never holds the secret.
     *
     * @param secret 32 random bytes: nobody finds them by trying
     */
    public record Key(String id, String account, byte[] secret) {
        public Key {
            if (!ID.matcher(id).matches() || !GridMap.isAccountName(account)) {
                throw new FarmException(
                        ErrorKind.INVALID,
                        "read key",
                        id,
                        "not the name of a key and of an account");
            }
            if (secret.length != SECRET_BYTES) {
                throw new FarmException(
                        ErrorKind.INVALID,
                        "read key",
                        id,
                        "a secret is " + SECRET_BYTES + " bytes");
            }
        }

        public static Key make(String id, String account) {
            byte[] secret = new byte[SECRET_BYTES];
            new SecureRandom().nextBytes(secret);
            return new Key(id, account, secret);
        }

        /** A line of the file. It holds the secret. */
        public String line() {
            return id
                    + " "
                    + account
                    + " "
                    + Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
        }

        @Override
        public String toString() {
            return id + " of " + account;
        }
    }

    private final Map<String, Key> keys;

    private SharedKeys(Map<String, Key> keys) {
        this.keys = keys;
    }

    public static SharedKeys none() {
        return new SharedKeys(Map.of());
    }

    /** BAD_CONFIGURATION names the line that is none; no secret is in it. */
    public static SharedKeys load(Path file) {
        Map<String, Key> keys = new LinkedHashMap<>();
        int number = 0;
        for (String raw : SecretFile.read(file).split("\n", -1)) {
            number++;
            String line = raw.strip();
            if (line.isEmpty() || line.startsWith("#")) continue;
            Key key = parse(line, file, number);
            if (keys.put(key.id(), key) != null) {
                throw wrong(file, number, "the key " + key.id() + " stands there twice");
            }
        }
        return new SharedKeys(keys);
    }

    private static Key parse(String line, Path file, int number) {
        String[] words = line.split("\\s+");
        if (words.length != 3) throw wrong(file, number, "expected ID ACCOUNT SECRET");
        try {
            return new Key(words[0], words[1], Base64.getUrlDecoder().decode(words[2]));
        } catch (IllegalArgumentException e) {
            throw wrong(file, number, "the secret is not Base64"); // nor shown
        } catch (FarmException e) {
            throw wrong(file, number, e.detail());
        }
    }

    private static FarmException wrong(Path file, int line, String why) {
        return new FarmException(ErrorKind.BAD_CONFIGURATION, "read keys", file + ":" + line, why);
    }

    public Optional<Key> find(String id) {
        return Optional.ofNullable(keys.get(id));
    }

    /** Of a person's file, in which there is one. */
    public Key only(Path file) {
        if (keys.size() != 1) {
            throw new FarmException(
                    ErrorKind.BAD_CONFIGURATION,
                    "read key",
                    file.toString(),
                    "one key is expected there, and there are " + keys.size());
        }
        return keys.values().iterator().next();
    }

    public List<Key> all() {
        return List.copyOf(keys.values());
    }

    /** The same with one more; ALREADY_EXISTS. */
    public SharedKeys with(Key key) {
        if (keys.containsKey(key.id())) {
            throw new FarmException(ErrorKind.ALREADY_EXISTS, "add key", key.id());
        }
        Map<String, Key> more = new LinkedHashMap<>(keys);
        more.put(key.id(), key);
        return new SharedKeys(more);
    }

    /** The same with one less; NOT_FOUND. */
    public SharedKeys without(String id) {
        Map<String, Key> less = new LinkedHashMap<>(keys);
        if (less.remove(id) == null) {
            throw new FarmException(ErrorKind.NOT_FOUND, "remove key", id);
        }
        return new SharedKeys(less);
    }

    /** Writes all of them in one step, with mode 600; the file's owner stays. */
    public void save(Path file) {
        List<String> lines = new ArrayList<>();
        keys.values().forEach(key -> lines.add(key.line()));
        try {
            Object owner = Files.exists(file) ? Files.getOwner(file) : null;
            SecretFile.write(file, String.join("\n", lines) + "\n");
            if (owner != null && !owner.equals(Files.getOwner(file))) {
                Files.setOwner(file, (java.nio.file.attribute.UserPrincipal) owner);
            }
        } catch (java.io.IOException e) {
            throw new FarmException(
                    ErrorKind.DISK_FAILED,
                    "write keys",
                    file.toString(),
                    String.valueOf(e.getMessage()),
                    e);
        }
    }
}

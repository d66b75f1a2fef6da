package org.gridfarm.client.cli.console;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Who is let in: whoever shows the token once and then the cookie that was given for it; whoever
 * has a certificate whose name is listed; everybody, where that was asked for and the console
 * listens on loopback only. Thread-safe.
 *
 * <p>A cookie is good for {@link #COOKIE_LIFE}, in this process alone. The form key of a viewer is
 * bound to his cookie or certificate.
 */
final class Admission {
    static final Duration COOKIE_LIFE = Duration.ofHours(12);
    static final String COOKIE = "gridfarm_console";

    /** More than one team opens; the oldest goes first. */
    private static final int COOKIES_MAX = 1_000;

    private static final int SECRET_BYTES = 32;

    private record Given(long until, String formKey) {}

    private final @Nullable String token;
    private final Set<String> names;
    private final boolean open;
    private final boolean mayAct;
    private final LongSupplier nanos;
    private final SecureRandom random = new SecureRandom();
    private final Map<String, Given> given = new LinkedHashMap<>(); // guarded by this
    private final byte[] formSecret = new byte[SECRET_BYTES];

    /**
     * @param token null: none is good
     * @param names of certificates that are let in
     * @param open everybody is let in
     */
    Admission(
            @Nullable String token,
            Set<String> names,
            boolean open,
            boolean mayAct,
            LongSupplier nanos) {
        this.token = token;
        this.names = Set.copyOf(names);
        this.open = open;
        this.mayAct = mayAct;
        this.nanos = nanos;
        random.nextBytes(formSecret);
    }

    /** A token or cookie that nobody guesses. */
    static String secret(SecureRandom random) {
        byte[] bytes = new byte[SECRET_BYTES];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /**
     * Who this is; empty: he is not let in.
     *
     * @param certificate the name of the certificate that was proved, if any
     * @param cookie as the browser sent it
     * @param bearer the token of an Authorization header
     */
    Optional<Viewer> viewer(
            Optional<String> certificate, @Nullable String cookie, @Nullable String bearer) {
        if (certificate.isPresent() && names.contains(certificate.get())) {
            return Optional.of(
                    new Viewer(certificate.get(), bound("name " + certificate.get()), mayAct));
        }
        if (cookie != null) {
            Given known = known(cookie);
            if (known != null) return Optional.of(new Viewer("token", known.formKey(), mayAct));
        }
        if (bearer != null && isToken(bearer)) {
            return Optional.of(new Viewer("token", bound("bearer"), mayAct));
        }
        return open ? Optional.of(new Viewer("anyone", bound("open"), mayAct)) : Optional.empty();
    }

    boolean isToken(String shown) {
        return token != null
                && MessageDigest.isEqual(
                        token.getBytes(StandardCharsets.UTF_8),
                        shown.getBytes(StandardCharsets.UTF_8));
    }

    /** A new cookie for who has shown the token. */
    synchronized String admit() {
        String cookie = secret(random);
        if (given.size() >= COOKIES_MAX) given.remove(given.keySet().iterator().next());
        given.put(cookie, new Given(nanos.getAsLong() + COOKIE_LIFE.toNanos(), secret(random)));
        return cookie;
    }

    private synchronized @Nullable Given known(String cookie) {
        Given found = given.get(cookie);
        if (found == null) return null;
        if (nanos.getAsLong() - found.until() < 0) return found;
        given.remove(cookie);
        return null;
    }

    /** The same for the same viewer as long as this process lives. */
    private String bound(String viewer) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(formSecret);
            digest.update(viewer.getBytes(StandardCharsets.UTF_8));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(digest.digest());
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** Whether a form was made by this console for this viewer. */
    static boolean isOwnForm(Viewer viewer, @Nullable String key) {
        return key != null
                && MessageDigest.isEqual(
                        viewer.formKey().getBytes(StandardCharsets.UTF_8),
                        key.getBytes(StandardCharsets.UTF_8));
    }
}

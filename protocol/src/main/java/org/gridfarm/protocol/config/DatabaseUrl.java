package org.gridfarm.protocol.config;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the URL of a database says of the way there, before anybody dials it. */
public final class DatabaseUrl {
    private static final Pattern FORM =
            Pattern.compile("jdbc:postgresql:(?://([^/?]*))?[^?]*(?:\\?(.*))?");
    private static final Pattern PORT = Pattern.compile(":[0-9]*$");
    private static final Pattern LOOPBACK = Pattern.compile("127(\\.[0-9]{1,3}){3}");
    private static final String VERIFIED = "sslmode=verify-full";

    private DatabaseUrl() {}

    /**
     * A sentence where the password and all that is stored go over a network to a server that has
     * not proved who it is. The driver's default, {@code prefer}, takes any certificate and none.
     */
    public static Optional<String> danger(String url) {
        Matcher form = FORM.matcher(url);
        if (!form.matches()) {
            return Optional.empty(); // the driver says what is wrong with it
        }
        String hosts = form.group(1) == null ? "" : form.group(1);
        String options = form.group(2) == null ? "" : form.group(2);
        boolean verified = Arrays.asList(options.split("&")).contains(VERIFIED);
        boolean here = Arrays.stream(hosts.split(",")).allMatch(DatabaseUrl::isHere);
        return verified || here
                ? Optional.empty()
                : Optional.of(
                        "whoever is on the way to the database at "
                                + hosts
                                + " can read and change all of it: add "
                                + VERIFIED
                                + "&sslrootcert=FILE to database.url");
    }

    private static boolean isHere(String host) {
        String name = PORT.matcher(host).replaceFirst("").toLowerCase(Locale.ROOT);
        return name.isEmpty()
                || name.equals("localhost")
                || LOOPBACK.matcher(name).matches()
                || name.equals("[::1]");
    }
}

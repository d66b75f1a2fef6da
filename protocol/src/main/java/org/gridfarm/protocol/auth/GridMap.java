package org.gridfarm.protocol.auth;

import org.gridfarm.protocol.auth.x509.DistinguishedName;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NodeName;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The grid-mapfile: which certificate name is which user or which part of the farm. One line each,
 * {@code #} starts a comment line:
 *
 * <pre>
 * "/O=Grid/OU=Users/CN=Alice"       alice,astro     people: user names, the usual one first
 * "/O=Grid/OU=Users/CN=Carol"       @admin:carol    a person who may administer the farm
 * "/O=Grid/OU=Hosts/CN=n1.example"  @node:n1        a storage node and its name
 * "/O=Grid/OU=Hosts/CN=m1.example"  @metaserver     likewise @scheduler
 * "/O=Grid/OU=Hosts/CN=w1.example"  @mount          a host that says which of its users asks; its root is nobody
 * "/O=Grid/OU=Hosts/CN=w2.example"  @mount:root     the same of one whose root is the farm's, too
 * "/O=Grid/OU=Hosts/CN=g1.example"  @gateway        a host that acts as the people who come to it
 * "https://tokens.example 4f1c-77"  alice           whom that issuer's tokens call so; no role
 * </pre>
 *
 * <p>Lines without a role are those of every grid site. Inside the quotes, {@code \/}, {@code \\},
 * {@code \"} and {@code \xHH} (a byte of UTF-8) are taken as other tools write them; {@code /E=}
 * and {@code /Email=} mean {@code /emailAddress=}, {@code /USERID=} means {@code /UID=}. A name
 * that stands twice is an error. Immutable.
 */
public final class GridMap {
    private static final Pattern LINE = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)+)\"\\s+(\\S+)");
    private static final Pattern USER = Pattern.compile("[A-Za-z_][A-Za-z0-9._-]{0,31}\\$?");
    private static final String TOKENS = "https://";

    /** An issuer has no blank in it, so the first one ends it. */
    private static final Pattern SUBJECT = Pattern.compile("https://[!-~]+ [!-~]{1,255}");

    private static final long BYTES_MAX = 16 << 20; // some hundred thousand lines

    private final Map<String, Identity> identities;
    private final Set<String> accounts;

    private GridMap(Map<String, Identity> identities) {
        this.identities = Map.copyOf(identities);
        accounts =
                identities.values().stream()
                        .flatMap(identity -> identity.users().stream())
                        .collect(Collectors.toUnmodifiableSet());
    }

    public static GridMap empty() {
        return new GridMap(Map.of());
    }

    public static GridMap load(Path file) {
        try {
            if (Files.size(file) > BYTES_MAX) {
                throw new FarmException(
                        ErrorKind.BAD_CONFIGURATION,
                        "read grid-mapfile",
                        file.toString(),
                        "larger than " + BYTES_MAX + " bytes");
            }
            return parse(Files.readString(file), file.toString());
        } catch (NoSuchFileException e) {
            throw new FarmException(
                    ErrorKind.BAD_CONFIGURATION,
                    "read grid-mapfile",
                    file.toString(),
                    "no such file",
                    e);
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.BAD_CONFIGURATION,
                    "read grid-mapfile",
                    file.toString(),
                    String.valueOf(e.getMessage()),
                    e);
        }
    }

    /**
     * Reads the text; {@code source} names it in errors, which are BAD_CONFIGURATION with the
     * line's number.
     */
    public static GridMap parse(String text, String source) {
        Map<String, Identity> identities = new HashMap<>();
        int number = 0;
        for (String raw : text.split("\n", -1)) {
            number++;
            String line = raw.strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            String at = source + ":" + number;
            Matcher matcher = LINE.matcher(line);
            if (!matcher.matches()) {
                throw wrong(at, "expected \"DN\" and a user or @role");
            }
            String name = unescape(matcher.group(1), at);
            boolean token = name.startsWith(TOKENS);
            String dn = token ? name : DistinguishedName.canonical(name);
            if (!token && !dn.startsWith("/")) {
                throw wrong(at, "the name does not begin with a slash");
            }
            if (token && !SUBJECT.matcher(name).matches()) {
                throw wrong(at, "expected \"https://ISSUER SUBJECT\"");
            }
            Identity identity = identity(dn, matcher.group(2), at);
            if (token && identity.role() != Role.USER) {
                throw wrong(at, "a token makes nobody more than a user");
            }
            if (identities.put(dn, identity) != null) {
                throw wrong(at, "the name stands twice: " + dn);
            }
        }
        return new GridMap(identities);
    }

    /** The identity of a name in slash form, as of a full credential. */
    public Optional<Identity> lookUp(String dn) {
        return Optional.ofNullable(identities.get(DistinguishedName.canonical(dn)));
    }

    /** Whom the tokens of an issuer call so; spelt as they spell it. */
    public Optional<Identity> ofToken(String issuer, String subject) {
        String name = issuer + " " + subject;
        return SUBJECT.matcher(name).matches()
                ? Optional.ofNullable(identities.get(name))
                : Optional.empty();
    }

    /** Whether some person has this account. */
    public boolean hasAccount(String user) {
        return accounts.contains(user);
    }

    public int size() {
        return identities.size();
    }

    static String roleText(Role role) {
        return "@" + role.name().toLowerCase(Locale.ROOT);
    }

    private static Identity identity(String dn, String target, String at) {
        if (!target.startsWith("@")) {
            return new Identity(dn, Role.USER, users(target, at), Optional.empty(), false);
        }
        int colon = target.indexOf(':');
        String role = colon < 0 ? target : target.substring(0, colon);
        String argument = colon < 0 ? "" : target.substring(colon + 1);
        return switch (role) {
            case "@admin" ->
                    new Identity(dn, Role.ADMIN, users(argument, at), Optional.empty(), false);
            case "@node" ->
                    new Identity(dn, Role.NODE, List.of(), Optional.of(node(argument, at)), false);
            case "@metaserver" -> host(dn, Role.METASERVER, argument, at);
            case "@scheduler" -> host(dn, Role.SCHEDULER, argument, at);
            case "@gateway" -> host(dn, Role.GATEWAY, argument, at);
            case "@mount" -> mount(dn, argument, at);
            default ->
                    throw wrong(
                            at,
                            "unknown role "
                                    + role
                                    + ", known are @admin:USER @node:NAME @metaserver @scheduler"
                                    + " @mount @mount:root @gateway");
        };
    }

    private static Identity host(String dn, Role role, String argument, String at) {
        if (!argument.isEmpty()) {
            throw wrong(at, roleText(role) + " takes no argument");
        }
        return new Identity(dn, role, List.of(), Optional.empty(), false);
    }

    private static Identity mount(String dn, String argument, String at) {
        if (!argument.isEmpty() && !argument.equals("root")) {
            throw wrong(at, "@mount takes no argument but root");
        }
        return new Identity(
                dn, Role.MOUNT, List.of(), Optional.empty(), false, !argument.isEmpty());
    }

    private static NodeName node(String name, String at) {
        try {
            return new NodeName(name);
        } catch (FarmException e) {
            throw wrong(at, e.getMessage());
        }
    }

    /** Whether an account can have that name. */
    static boolean isAccountName(String user) {
        return USER.matcher(user).matches();
    }

    private static List<String> users(String list, String at) {
        List<String> users = Arrays.asList(list.split(",", -1));
        for (String user : users) {
            if (!USER.matcher(user).matches()) {
                throw wrong(at, "not a user name: '" + user + "'");
            }
        }
        return users;
    }

    private static String unescape(String text, String at) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
        for (int i = 0; i < text.length(); ) {
            int point = text.codePointAt(i);
            i += Character.charCount(point);
            if (point != '\\') {
                bytes.writeBytes(Character.toString(point).getBytes(StandardCharsets.UTF_8));
                continue;
            }
            char escaped = text.charAt(i++); // the line's pattern lets no backslash stand last
            if (escaped == 'x'
                    && i + 2 <= text.length()
                    && text.substring(i, i + 2).matches("[0-9A-Fa-f]{2}")) {
                bytes.write(Integer.parseInt(text.substring(i, i + 2), 16));
                i += 2;
            } else if (escaped == '/' || escaped == '\\' || escaped == '"') {
                bytes.write(escaped);
            } else {
                throw wrong(at, "unknown escape \\" + escaped);
            }
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes.toByteArray()))
                    .toString();
        } catch (CharacterCodingException e) {
            throw wrong(at, "the \\x escapes are not UTF-8");
        }
    }

    private static FarmException wrong(String at, String what) {
        return new FarmException(ErrorKind.BAD_CONFIGURATION, "read grid-mapfile", at, what);
    }
}

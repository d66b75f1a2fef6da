package org.gridfarm.client.cli.authority;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.util.List;

/**
 * Whom a certificate is for, from the words of {@code gf ca issue}: its name, its hosts, what the
 * grid-mapfile says of it, and how its file is called.
 *
 * @param target the second column of the grid-mapfile; empty where the farm has no business with it
 * @param oneFile certificate and key belong into one file, as those of clients
 */
public record Subject(String dn, List<String> hosts, String target, String file, boolean oneFile) {

    /** What a certificate may be for. */
    public enum Kind {
        METASERVER,
        SCHEDULER,
        NODE,
        MOUNT,
        GATEWAY,
        SERVICE,
        USER,
        ADMIN
    }

    public static Subject of(
            Kind kind, String base, List<String> words, String fullName, boolean root) {
        String first = words.isEmpty() ? "" : words.get(0);
        for (String part : List.of(first, fullName)) {
            if (part.contains("/")) {
                throw new FarmException(ErrorKind.USAGE, "issue", part, "no slash in a name");
            }
        }
        return switch (kind) {
            case METASERVER -> host(base, "metaserver", hosts(words, "HOST"), "@metaserver");
            case SCHEDULER -> host(base, "scheduler", hosts(words, "HOST"), "@scheduler");
            case NODE -> {
                List<String> hosts = hosts(rest(words), "NODE HOST");
                yield new Subject(
                        base + "/OU=storagenode/CN=" + first,
                        hosts,
                        "@node:" + first,
                        "storagenode",
                        false);
            }
            case MOUNT -> {
                List<String> hosts = hosts(words, "HOST");
                String target = root ? "@mount:root" : "@mount";
                yield new Subject(base + "/OU=mount/CN=" + first, hosts, target, "mount", true);
            }
            case GATEWAY -> {
                List<String> hosts = hosts(words, "HOST");
                yield new Subject(
                        base + "/OU=gateway/CN=" + first, hosts, "@gateway", "gateway", true);
            }
            case SERVICE -> host(base, first, hosts(rest(words), "SERVICE HOST"), "");
            case USER, ADMIN -> {
                if (words.size() != 1) throw usage("ACCOUNT[,ACCOUNT...]");
                String account = first.split(",", 2)[0];
                yield new Subject(
                        base + "/CN=" + (fullName.isEmpty() ? account : fullName),
                        List.of(),
                        (kind == Kind.ADMIN ? "@admin:" : "") + first,
                        account,
                        false);
            }
        };
    }

    private static Subject host(String base, String service, List<String> hosts, String target) {
        String dn = base + "/OU=" + service + "/CN=" + hosts.get(0);
        return new Subject(dn, hosts, target, service, false);
    }

    private static List<String> rest(List<String> words) {
        return words.isEmpty() ? words : words.subList(1, words.size());
    }

    private static List<String> hosts(List<String> words, String expected) {
        if (words.isEmpty()) throw usage(expected + " [NAME...]");
        for (String host : words) {
            if (!host.matches("[A-Za-z0-9._:-]+")) {
                throw new FarmException(
                        ErrorKind.USAGE, "issue", host, "not the name or address of a host");
            }
        }
        return words;
    }

    private static FarmException usage(String expected) {
        return new FarmException(
                ErrorKind.USAGE, "issue", "", "expected behind the kind: " + expected);
    }
}

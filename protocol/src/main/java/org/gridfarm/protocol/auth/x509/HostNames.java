package org.gridfarm.protocol.auth.x509;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Which hosts a certificate speaks for: its subjectAltName entries, DNS names and addresses, and
 * nothing else. Wildcards are not followed and a CN is never taken for a host.
 */
public final class HostNames {
    private static final int DNS_NAME = 2;
    private static final int IP_ADDRESS = 7;
    private static final Pattern IPV4 = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}");

    private HostNames() {}

    /** Whether the text is a literal address, so that reading it asks no name server. */
    static boolean isAddress(String name) {
        return name.indexOf(':') >= 0 || IPV4.matcher(name).matches();
    }

    public static boolean cover(X509Certificate certificate, String host)
            throws CertificateParsingException {
        Collection<List<?>> names = certificate.getSubjectAlternativeNames();
        if (names == null) {
            return false;
        }
        boolean address = isAddress(host);
        for (List<?> name : names) {
            int kind = (Integer) name.get(0);
            if (address && kind == IP_ADDRESS && sameAddress((String) name.get(1), host)) {
                return true;
            }
            if (!address
                    && kind == DNS_NAME
                    && withoutDot((String) name.get(1)).equalsIgnoreCase(withoutDot(host))) {
                return true;
            }
        }
        return false;
    }

    /** All of them, as texts; none of a person's certificate. */
    public static List<String> of(X509Certificate certificate) throws CertificateParsingException {
        Collection<List<?>> names = certificate.getSubjectAlternativeNames();
        return names == null
                ? List.of()
                : names.stream()
                        .filter(name ->
                                (Integer) name.get(0) == DNS_NAME
                                        || (Integer) name.get(0) == IP_ADDRESS)
                        .map(name -> (String) name.get(1))
                        .toList();
    }

    private static boolean sameAddress(String one, String other) {
        try {
            return InetAddress.getByName(one).equals(InetAddress.getByName(other));
        } catch (UnknownHostException e) {
            return false; // a malformed literal names no host
        }
    }

    private static String withoutDot(String name) {
        return name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
    }
}

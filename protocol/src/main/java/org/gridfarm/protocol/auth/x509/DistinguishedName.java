package org.gridfarm.protocol.auth.x509;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A certificate's name: its DER bytes, and the slash form of the grid world ({@code
 * /O=Grid/OU=Users/CN=Alice}).
 *
 * <p>The slash form is written from the DER in its own order, and a name that could be read as
 * another one is refused: values that hold {@code /ATTR=} or a control character, and RDNs of
 * several values. So one slash string stands for one name, which is what a grid-mapfile relies on.
 */
public final class DistinguishedName {
    private static final Map<String, String> LABEL_OF_OID =
            Map.ofEntries(
                    Map.entry("2.5.4.3", "CN"),
                    Map.entry("2.5.4.4", "SN"),
                    Map.entry("2.5.4.5", "serialNumber"),
                    Map.entry("2.5.4.6", "C"),
                    Map.entry("2.5.4.7", "L"),
                    Map.entry("2.5.4.8", "ST"),
                    Map.entry("2.5.4.9", "street"),
                    Map.entry("2.5.4.10", "O"),
                    Map.entry("2.5.4.11", "OU"),
                    Map.entry("2.5.4.12", "title"),
                    Map.entry("2.5.4.42", "GN"),
                    Map.entry("0.9.2342.19200300.100.1.1", "UID"),
                    Map.entry("0.9.2342.19200300.100.1.25", "DC"),
                    Map.entry("1.2.840.113549.1.9.1", "emailAddress"));
    private static final Map<String, String> OID_OF_LABEL = oidsByLabel();
    private static final String COMMON_NAME = "2.5.4.3";
    private static final Pattern ATTRIBUTE_INSIDE = Pattern.compile("/[A-Za-z0-9.]+=");
    private static final Pattern ATTRIBUTE = Pattern.compile("/([A-Za-z0-9.]+)=");

    private final byte[] der;
    private final List<byte[]> rdns;
    private final String slash;

    private DistinguishedName(byte[] der) throws CertificateParsingException {
        this.der = der;
        this.rdns = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        DerReader name = new DerReader(der).enter(Der.SEQUENCE);
        while (name.hasMore()) {
            byte[] rdn = name.element();
            rdns.add(rdn);
            appendSlash(text, rdn);
        }
        this.slash = text.toString();
    }

    /** The subject of a certificate, from its own bytes. */
    public static DistinguishedName subjectOf(X509Certificate certificate)
            throws CertificateParsingException {
        return new DistinguishedName(nameIn(certificate, false));
    }

    /** The issuer of a certificate, from its own bytes. */
    public static DistinguishedName issuerOf(X509Certificate certificate)
            throws CertificateParsingException {
        return new DistinguishedName(nameIn(certificate, true));
    }

    /**
     * Reads the slash form, for making certificates; the values become UTF8Strings (C and DC as
     * standards ask).
     */
    public static DistinguishedName parse(String slash) {
        List<byte[]> rdns = new ArrayList<>();
        Matcher matcher = ATTRIBUTE.matcher(slash);
        int valueStart = -1;
        String label = "";
        while (matcher.find()) {
            if (valueStart < 0 && matcher.start() != 0) {
                break;
            }
            if (valueStart >= 0) {
                rdns.add(rdn(label, slash.substring(valueStart, matcher.start()), slash));
            }
            label = matcher.group(1);
            valueStart = matcher.end();
        }
        if (valueStart < 0) {
            throw new IllegalArgumentException("not a name of the form /O=.../CN=...: " + slash);
        }
        rdns.add(rdn(label, slash.substring(valueStart), slash));
        try {
            return new DistinguishedName(Der.sequence(rdns.toArray(byte[][]::new)));
        } catch (CertificateParsingException e) {
            throw new IllegalArgumentException("not a usable name: " + slash, e);
        }
    }

    /**
     * The slash form with the labels of mail addresses and user ids as this class writes them;
     * tools write them in several ways.
     */
    public static String canonical(String slash) {
        return ATTRIBUTE
                .matcher(slash)
                .replaceAll(found ->
                        switch (found.group(1).toLowerCase(Locale.ROOT)) {
                            case "e", "email", "emailaddress" -> "/emailAddress=";
                            case "userid", "uid" -> "/UID=";
                            default -> Matcher.quoteReplacement(found.group());
                        });
    }

    static DistinguishedName ofDer(byte[] der) throws CertificateParsingException {
        return new DistinguishedName(der);
    }

    /** This name with one more CN at its end: how a proxy is named. */
    DistinguishedName withCommonName(String value) throws CertificateParsingException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        rdns.forEach(all::writeBytes);
        all.writeBytes(rdn("CN", value, value));
        return new DistinguishedName(Der.sequence(all.toByteArray()));
    }

    /** Whether this is the other name, byte for byte, with exactly one single-valued CN added. */
    boolean isOneCommonNameBelow(DistinguishedName issuer) throws CertificateParsingException {
        if (rdns.size() != issuer.rdns.size() + 1) {
            return false;
        }
        for (int i = 0; i < issuer.rdns.size(); i++) {
            if (!Arrays.equals(rdns.get(i), issuer.rdns.get(i))) {
                return false;
            }
        }
        DerReader last =
                new DerReader(rdns.get(rdns.size() - 1)).enter(Der.SET).enter(Der.SEQUENCE);
        return last.oid().equals(COMMON_NAME);
    }

    byte[] der() {
        return der.clone();
    }

    boolean sameBytes(DistinguishedName other) {
        return Arrays.equals(der, other.der);
    }

    /** The slash form. */
    @Override
    public String toString() {
        return slash;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DistinguishedName that && sameBytes(that);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(der);
    }

    private static byte[] nameIn(X509Certificate certificate, boolean issuer)
            throws CertificateParsingException {
        try {
            DerReader body = new DerReader(certificate.getTBSCertificate()).enter(Der.SEQUENCE);
            if (body.peek() == 0xa0) {
                body.next(); // version
            }
            body.next(); // serial number
            body.next(); // signature algorithm
            byte[] issuerName = body.element();
            body.next(); // validity
            return issuer ? issuerName : body.element();
        } catch (java.security.cert.CertificateEncodingException e) {
            throw new CertificateParsingException("certificate cannot be encoded", e);
        }
    }

    private static void appendSlash(StringBuilder text, byte[] rdn)
            throws CertificateParsingException {
        DerReader set = new DerReader(rdn).enter(Der.SET);
        DerReader pair = set.enter(Der.SEQUENCE);
        if (set.hasMore()) {
            throw new CertificateParsingException(
                    "the name has an RDN of several values, whose slash form is ambiguous");
        }
        String oid = pair.oid();
        String value = text(pair.peek(), pair.next().content());
        pair.requireEnd();
        if (value.isEmpty() || value.codePoints().anyMatch(Character::isISOControl)) {
            throw new CertificateParsingException(
                    "the name has an empty value or one with control characters");
        }
        if (ATTRIBUTE_INSIDE.matcher(value).find()) {
            throw new CertificateParsingException(
                    "the name has a value with /ATTR= inside, whose slash form is ambiguous");
        }
        text.append('/').append(LABEL_OF_OID.getOrDefault(oid, oid)).append('=').append(value);
    }

    private static String text(int tag, byte[] content) throws CertificateParsingException {
        Charset charset =
                switch (tag) {
                    case Der.UTF8_STRING -> StandardCharsets.UTF_8;
                    case Der.PRINTABLE_STRING, Der.IA5_STRING -> StandardCharsets.US_ASCII;
                    // T.61 above 0x7f has no reading that all tools agree on, so only its ASCII
                    // part passes.
                    case Der.T61_STRING -> StandardCharsets.US_ASCII;
                    case Der.BMP_STRING -> StandardCharsets.UTF_16BE;
                    default ->
                            throw new CertificateParsingException(
                                    "the name has a value of an unsupported string type");
                };
        try {
            return charset.newDecoder().decode(ByteBuffer.wrap(content)).toString();
        } catch (CharacterCodingException e) {
            throw new CertificateParsingException(
                    "the name has a value that is not valid " + charset, e);
        }
    }

    private static byte[] rdn(String label, String value, String whole) {
        String oid = OID_OF_LABEL.get(label);
        if (oid == null) {
            if (!label.matches("[0-2](\\.[0-9]+)+")) {
                throw new IllegalArgumentException(
                        "unknown attribute " + label + " in the name " + whole);
            }
            oid = label;
        }
        byte[] text =
                switch (label.toUpperCase(Locale.ROOT)) {
                    case "C" ->
                            Der.element(
                                    Der.PRINTABLE_STRING,
                                    value.getBytes(StandardCharsets.US_ASCII));
                    case "DC", "EMAILADDRESS", "EMAIL", "E" ->
                            Der.element(Der.IA5_STRING, value.getBytes(StandardCharsets.US_ASCII));
                    default -> Der.utf8(value);
                };
        return Der.set(Der.sequence(Der.oid(oid), text));
    }

    private static Map<String, String> oidsByLabel() {
        Map<String, String> labels =
                LABEL_OF_OID.entrySet().stream()
                        .collect(
                                Collectors.toMap(
                                        Map.Entry::getValue,
                                        Map.Entry::getKey,
                                        (a, b) -> a,
                                        () -> new TreeMap<>(String.CASE_INSENSITIVE_ORDER)));
        labels.put("E", labels.get("emailAddress"));
        labels.put("Email", labels.get("emailAddress"));
        labels.put("USERID", labels.get("UID"));
        return labels;
    }
}

package org.gridfarm.client.cli.gateway.http;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NameText;

import java.io.ByteArrayOutputStream;

/** Percent-encoding (RFC 3986, section 2.1), byte for byte: names in the farm need not be UTF-8. */
public final class Percent {
    private static final String PLAIN =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";

    private Percent() {}

    /**
     * Of a path: a plus sign is one.
     *
     * @throws FarmException INVALID where a percent sign stands before anything but two digits
     */
    public static String path(String encoded) {
        return decoded(encoded, false);
    }

    /** Of a query, as forms send it: a plus sign is a blank. */
    public static String query(String encoded) {
        return decoded(encoded, true);
    }

    private static String decoded(String encoded, boolean plusIsBlank) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(encoded.length());
        for (int i = 0; i < encoded.length(); i++) {
            char c = encoded.charAt(i);
            if (c == '%') {
                boolean whole = i + 2 < encoded.length();
                int high = whole ? digit(encoded.charAt(i + 1)) : -1;
                int low = whole ? digit(encoded.charAt(i + 2)) : -1;
                if (high < 0 || low < 0) {
                    throw new FarmException(
                            ErrorKind.INVALID,
                            "address",
                            encoded,
                            "a percent sign is followed by two hexadecimal digits");
                }
                bytes.write(high << 4 | low);
                i += 2;
            } else if (c == '+' && plusIsBlank) {
                bytes.write(' ');
            } else {
                bytes.write(c); // what is not escaped comes as it is, a character for each byte
            }
        }
        return NameText.of(bytes.toByteArray());
    }

    /** Of a query as it came, which may hold bytes that no header takes. */
    public static String escaped(String query) {
        StringBuilder escaped = new StringBuilder();
        for (char c : query.toCharArray()) {
            escaped.append(c > ' ' && c < 0x7f ? String.valueOf(c) : "%%%02X".formatted((int) c));
        }
        return escaped.toString();
    }

    private static int digit(char c) {
        return c < 0x80 ? Character.digit(c, 16) : -1;
    }

    /** Of a path or a value of a query. */
    public static String encoded(String text) {
        StringBuilder encoded = new StringBuilder();
        for (byte b : NameText.bytes(text)) {
            if (PLAIN.indexOf((char) b) >= 0) {
                encoded.append((char) b);
            } else {
                encoded.append("%%%02X".formatted(b & 0xff));
            }
        }
        return encoded.toString();
    }
}

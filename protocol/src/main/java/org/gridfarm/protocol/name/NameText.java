package org.gridfarm.protocol.name;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.nio.charset.StandardCharsets;

/**
 * Names as text and back, byte for byte. What is UTF-8 is read as such; every other byte, 0x80 to
 * 0xFF, becomes the lone surrogate U+DC80 to U+DCFF, which no UTF-8 stands for. So two names are
 * the same text only if they are the same bytes, whatever a locale says. (Python's
 * "surrogateescape" is the same form.)
 */
public final class NameText {
    /** U+DC00 plus the byte. */
    private static final int ESCAPE = 0xDC00;

    private static final int ASCII_MAX = 0x7F;
    private static final char REPLACEMENT = '\uFFFD';

    private NameText() {}

    public static String of(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        return text.indexOf(REPLACEMENT) < 0 ? text : escaped(bytes);
    }

    private static String escaped(byte[] bytes) {
        StringBuilder text = new StringBuilder(bytes.length);
        int at = 0;
        while (at < bytes.length) {
            int length = characterBytes(bytes, at);
            if (length == 0) {
                text.append((char) (ESCAPE + (bytes[at] & 0xFF)));
                at++;
            } else {
                text.append(new String(bytes, at, length, StandardCharsets.UTF_8));
                at += length;
            }
        }
        return text.toString();
    }

    /** Of the character that begins there; 0 where none does (RFC 3629, section 4). */
    private static int characterBytes(byte[] bytes, int at) {
        int first = bytes[at] & 0xFF;
        if (first <= ASCII_MAX) {
            return 1;
        }
        int length = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
        if (length == 0 || at + length > bytes.length) {
            return 0;
        }
        // The second byte tells overlong forms, surrogates and what is past U+10FFFF.
        int second = bytes[at + 1] & 0xFF;
        int least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
        int most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
        if (second < least || second > most) {
            return 0;
        }
        for (int i = 2; i < length; i++) {
            if ((bytes[at + i] & 0xC0) != 0x80) {
                return 0;
            }
        }
        return length;
    }

    /** Refuses with INVALID a text with half a character that stands for no byte. */
    public static byte[] bytes(String text) {
        if (text.chars().noneMatch(c -> Character.isSurrogate((char) c))) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream(text.length() + 8);
        text.codePoints()
                .forEach(point -> {
                    if (isByte(point)) {
                        bytes.write(point - ESCAPE);
                    } else if (Character.getType(point) == Character.SURROGATE) {
                        throw new FarmException(
                                ErrorKind.INVALID, "name", shown(text), "holds half a character");
                    } else {
                        bytes.writeBytes(
                                Character.toString(point).getBytes(StandardCharsets.UTF_8));
                    }
                });
        return bytes.toByteArray();
    }

    /** True for what stands for a byte that is no part of a character. */
    public static boolean isByte(int codePoint) {
        return codePoint > ESCAPE + ASCII_MAX && codePoint <= ESCAPE + 0xFF;
    }

    /** For where only characters can stand, such as a message to another process. */
    public static String shown(String text) {
        return text.codePoints()
                .map(point -> Character.getType(point) == Character.SURROGATE ? REPLACEMENT : point)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    /** JSON is UTF-8: in a document the escapes of bytes stay escapes, {@code \\udc80} and on. */
    public static String inJson(String document) {
        if (document.codePoints().noneMatch(NameText::isByte)) {
            return document;
        }
        StringBuilder escaped = new StringBuilder(document.length() + 16);
        document.codePoints()
                .forEach(point -> {
                    if (isByte(point)) {
                        escaped.append("\\u").append(Integer.toHexString(point));
                    } else {
                        escaped.appendCodePoint(point);
                    }
                });
        return escaped.toString();
    }

    public static boolean isAscii(String text) {
        return text.chars().allMatch(c -> c <= ASCII_MAX);
    }
}

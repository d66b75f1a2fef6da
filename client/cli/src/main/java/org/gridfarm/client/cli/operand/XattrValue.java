package org.gridfarm.client.cli.operand;

import org.gridfarm.protocol.name.NameText;

import java.util.Base64;
import java.util.HexFormat;

/** Values of extended attributes as setfattr takes them. */
public final class XattrValue {
    private XattrValue() {}

    /**
     * Of {@code 0x...} (hexadecimal), {@code 0s...} (Base64) or text.
     *
     * @throws IllegalArgumentException neither hexadecimal nor Base64, though it begins as if
     */
    public static byte[] bytes(String text) {
        if (text.startsWith("0x") || text.startsWith("0X")) {
            return HexFormat.of().parseHex(text.substring(2));
        }
        if (text.startsWith("0s") || text.startsWith("0S")) {
            return Base64.getDecoder().decode(text.substring(2));
        }
        return NameText.bytes(text);
    }
}

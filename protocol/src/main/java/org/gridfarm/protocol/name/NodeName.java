package org.gridfarm.protocol.name;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

/**
 * The name of a storage node, chosen by its administrator and unique in the farm: letters, digits,
 * dot, dash and underscore, at most 64.
 */
public record NodeName(String text) implements Comparable<NodeName> {
    private static final int LENGTH_MAX = 64;

    public NodeName {
        if (!isOne(text)) {
            throw new FarmException(
                    ErrorKind.INVALID,
                    "node name",
                    text,
                    "letters, digits, '.', '-' and '_', at most 64");
        }
    }

    /** Not by a pattern: every ticket names its node, and that took 1.3 % of a leader's time. */
    private static boolean isOne(String text) {
        if (text.isEmpty() || text.length() > LENGTH_MAX) return false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean plain = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
            if (!plain && (i == 0 || c != '.' && c != '_' && c != '-')) return false;
        }
        return true;
    }

    @Override
    public int compareTo(NodeName other) {
        return text.compareTo(other.text);
    }

    @Override
    public String toString() {
        return text;
    }
}

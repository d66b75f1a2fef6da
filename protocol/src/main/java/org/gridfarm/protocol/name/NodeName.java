package org.gridfarm.protocol.name;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.util.regex.Pattern;

/**
 * The name of a storage node, chosen by its administrator and unique in the farm: letters, digits,
 * dot, dash and underscore, at most 64.
 */
public record NodeName(String text) implements Comparable<NodeName> {
    private static final Pattern FORM = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

    public NodeName {
        if (!FORM.matcher(text).matches()) {
            throw new FarmException(
                    ErrorKind.INVALID,
                    "node name",
                    text,
                    "letters, digits, '.', '-' and '_', at most 64");
        }
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

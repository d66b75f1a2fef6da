package org.gridfarm.client.core;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.NodeInfo;

import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * The nodes that a job may run on, by their names or those of their groups: a glob such as {@code
 * n1}, {@code gpu*}, {@code {n1,n2}}.
 */
public record NodePattern(String glob, Pattern names) implements Predicate<NodeInfo> {
    public static final NodePattern ANY = of("");

    /** Of nothing is every node; refuses with INVALID what is no pattern. */
    public static NodePattern of(String glob) {
        try {
            return new NodePattern(glob, GlobPattern.glob(glob.isEmpty() ? "*" : glob));
        } catch (PatternSyntaxException e) {
            throw new FarmException(
                    ErrorKind.INVALID,
                    "run on nodes",
                    glob,
                    "no pattern of names: " + e.getDescription(),
                    e);
        }
    }

    public boolean isAny() {
        return glob.isEmpty();
    }

    /** By its name, or by that of its group. */
    @Override
    public boolean test(NodeInfo node) {
        return isAny()
                || names.matcher(node.getName()).matches()
                || names.matcher(node.getGroup()).matches();
    }
}

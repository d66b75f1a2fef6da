package org.gridfarm.client.cli.operand;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A mode as {@code chmod} takes it: {@code 750}, or {@code u+rwX,go-w,+t} (POSIX, chmod). Without
 * {@code ugoa} the umask is not looked at: all three are meant. Immutable.
 */
public final class ModeChange {
    private static final Pattern OCTAL = Pattern.compile("[0-7]{1,4}");
    private static final Pattern CLAUSE =
            Pattern.compile("([ugoa]*)((?:[-+=](?:[ugo]|[rwxXst]*))+)");
    private static final Pattern ACTION = Pattern.compile("([-+=])([ugo]|[rwxXst]*)");
    private static final int SET_USER = 04000;
    private static final int SET_GROUP = 02000;
    private static final int STICKY = 01000;
    private static final int ANY_X = 0111;

    private record Action(String who, char sign, String what) {}

    private final int absolute; // -1: actions
    private final List<Action> actions;

    private ModeChange(int absolute, List<Action> actions) {
        this.absolute = absolute;
        this.actions = List.copyOf(actions);
    }

    /** USAGE where it is no mode. */
    public static ModeChange of(String text) {
        if (OCTAL.matcher(text).matches()) {
            return new ModeChange(Integer.parseInt(text, 8), List.of());
        }
        List<Action> actions = new ArrayList<>();
        for (String clause : text.split(",", -1)) {
            Matcher whole = CLAUSE.matcher(clause);
            if (!whole.matches()) {
                throw new FarmException(
                        ErrorKind.USAGE, "mode", text, "modes are like 644, u+x or g=rx,o=");
            }
            Matcher each = ACTION.matcher(whole.group(2));
            while (each.find()) {
                actions.add(new Action(whole.group(1), each.group(1).charAt(0), each.group(2)));
            }
        }
        return new ModeChange(-1, actions);
    }

    /**
     * @param mode permission bits as they are, 07777
     * @return as they are to be
     */
    public int applyTo(int mode, boolean directory) {
        if (absolute >= 0) {
            return absolute;
        }
        int changed = mode;
        for (Action action : actions) {
            changed = apply(action, changed, directory);
        }
        return changed;
    }

    private static int apply(Action action, int mode, boolean directory) {
        int whom = whom(action.who);
        int bits = bits(action, mode, directory);
        int special = 0;
        if (action.what.contains("s")) {
            special |= (whom & 0700) == 0 ? 0 : SET_USER;
            special |= (whom & 0070) == 0 ? 0 : SET_GROUP;
        }
        if (action.what.contains("t")) {
            special |= STICKY;
        }
        int meant = bits & whom | special;
        return switch (action.sign) {
            case '+' -> mode | meant;
            case '-' -> mode & ~meant;
            default -> mode & ~whom & ~(special(whom) & (directory ? 0 : ~0)) | meant;
        };
    }

    /** "=" takes the set-id bits away, but of directories, as GNU chmod does it. */
    private static int special(int whom) {
        return ((whom & 0700) == 0 ? 0 : SET_USER) | ((whom & 0070) == 0 ? 0 : SET_GROUP);
    }

    private static int whom(String who) {
        if (who.isEmpty() || who.contains("a")) {
            return 0777;
        }
        return (who.contains("u") ? 0700 : 0)
                | (who.contains("g") ? 0070 : 0)
                | (who.contains("o") ? 0007 : 0);
    }

    private static int bits(Action action, int mode, boolean directory) {
        String what = action.what;
        if (what.equals("u") || what.equals("g") || what.equals("o")) {
            int shift = what.equals("u") ? 6 : what.equals("g") ? 3 : 0;
            return (mode >> shift & 7) * ANY_X;
        }
        int one = what.contains("r") ? 4 : 0;
        one |= what.contains("w") ? 2 : 0;
        boolean runs = what.contains("X") && (directory || (mode & ANY_X) != 0);
        one |= what.contains("x") || runs ? 1 : 0;
        return one * ANY_X;
    }
}

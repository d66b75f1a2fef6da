package org.gridfarm.protocol.job;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What ended tasks do to the others of their job, in the words of GNU parallel: {@code never},
 * {@code soon,fail=3}, {@code now,fail=10%}, {@code now,success=1}, {@code soon,done=5}. {@code
 * soon} and {@code now} alone are {@code fail=1}.
 */
public record Halt(When when, Counted counted, double limit, boolean isPercent) {
    /** What becomes of the others. */
    public enum When {
        /** All run. */
        NEVER,
        /** What runs may end, nothing new is started. */
        SOON,
        /** What runs is killed as well. */
        NOW
    }

    /** Which ended tasks count. */
    public enum Counted {
        FAIL,
        SUCCESS,
        DONE
    }

    private static final Halt NEVER = new Halt(When.NEVER, Counted.FAIL, 1, false);
    private static final Pattern FORM =
            Pattern.compile(
                    "(soon|now)(?:,(fail|success|done)=([0-9]{1,9}(?:\\.[0-9]{1,3})?)(%)?)?");

    public static Halt of(String word) {
        if (word.isEmpty() || word.equals("never")) {
            return NEVER;
        }
        Matcher matcher = FORM.matcher(word);
        if (!matcher.matches()) {
            throw refused(word);
        }
        When when = matcher.group(1).equals("now") ? When.NOW : When.SOON;
        if (matcher.group(2) == null) {
            return new Halt(when, Counted.FAIL, 1, false);
        }
        Counted counted =
                switch (matcher.group(2)) {
                    case "fail" -> Counted.FAIL;
                    case "success" -> Counted.SUCCESS;
                    default -> Counted.DONE;
                };
        double limit = Double.parseDouble(matcher.group(3));
        boolean percent = matcher.group(4) != null;
        if (limit <= 0 || percent && limit > 100) {
            throw refused(word);
        }
        return new Halt(when, counted, limit, percent);
    }

    private static FarmException refused(String word) {
        return new FarmException(
                ErrorKind.USAGE,
                "halt",
                word,
                "use never, soon or now, or such as now,fail=1 and soon,fail=10%");
    }

    /** Whether so many ended tasks are enough. */
    public boolean isReached(int failed, int succeeded, int tasks) {
        if (when == When.NEVER) {
            return false;
        }
        int count =
                switch (counted) {
                    case FAIL -> failed;
                    case SUCCESS -> succeeded;
                    case DONE -> failed + succeeded;
                };
        return count > 0 && count >= (isPercent ? limit * tasks / 100 : limit);
    }
}

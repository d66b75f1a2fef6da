package org.gridfarm.protocol.rpc;

import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NameText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.TimeUnit;

/**
 * Who was refused what, and who did what only administrators may: one line each to the logger
 * {@code gridfarm.audit}, which a site can send where it likes. Of many lines in a second the rest
 * are counted and told with the next. Thread-safe.
 *
 * <pre>
 *   result=refused who="/O=Grid/CN=Mallory" as=mallory from=10.0.0.7:40112 what=node-control on="n1" why="…"
 *   result=done    who="/O=Grid/CN=Carol" as=carol from=10.0.0.8:51220 what=node-control on="drain n1"
 * </pre>
 */
public final class Audit {
    private static final Logger LOG = LoggerFactory.getLogger("gridfarm.audit");
    private static final int LINES_A_SECOND = 50;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private static final Audit LINES = new Audit();

    private long began = System.nanoTime(); // guarded by this
    private int written; // guarded by this
    private long left; // guarded by this

    private Audit() {}

    public static void refused(Peer caller, FarmException refusal) {
        LINES.write(
                "refused",
                caller,
                refusal.operation(),
                refusal.subject(),
                " why=" + quoted(refusal.detail()));
    }

    /** An act that only administrators may do was done. */
    public static void done(Peer caller, String operation, String subject) {
        LINES.write("done", caller, operation, subject, "");
    }

    private void write(String result, Peer who, String what, String subject, String why) {
        long unsaid;
        synchronized (this) {
            long now = System.nanoTime();
            if (now - began >= SECOND) {
                began = now;
                written = 0;
            }
            if (written >= LINES_A_SECOND) {
                left++;
                return;
            }
            written++;
            unsaid = left;
            left = 0;
        }
        LOG.info(
                "result={} who={} as={}{} from={} what={} on={}{}{}",
                result,
                quoted(who.identity().dn()),
                who.identity().user(),
                who.identity().limited() ? " limited=yes" : "",
                who.address(),
                what,
                quoted(subject),
                why,
                unsaid == 0 ? "" : " unsaid=" + unsaid);
    }

    /** What others chose ends no line and no quotes, and moves no cursor. */
    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        NameText.shown(text)
                .codePoints()
                .forEach(point -> {
                    if (Character.isISOControl(point)) {
                        quoted.append("\\x%02x".formatted(point));
                    } else {
                        if (point == '"' || point == '\\') quoted.append('\\');
                        quoted.appendCodePoint(point);
                    }
                });
        return quoted.append('"').toString();
    }
}

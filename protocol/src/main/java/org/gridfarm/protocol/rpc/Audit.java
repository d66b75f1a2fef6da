package org.gridfarm.protocol.rpc;

import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NameText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Who was refused what, and who did what only administrators may: one line each to the logger
 * {@code org.gridfarm.audit}, which a site can send where it likes. Of many lines in a second the
 * rest are counted and told with the next. Thread-safe.
 *
 * <pre>
 *   result=refused who="/O=Grid/CN=Mallory" as=mallory from=10.0.0.7:40112 what="node-control" on="n1" why="…"
 *   result=done    who="/O=Grid/CN=Carol" as=carol from=10.0.0.8:51220 what="node-control" on="drain n1"
 * </pre>
 */
public final class Audit {
    private static final Logger LOG = LoggerFactory.getLogger("org.gridfarm.audit");

    /** Of one name in a second, so that who makes noise hides nobody else. */
    private static final int LINES_OF_ONE = 10;

    private static final int LINES_OF_ALL = 200;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final Audit LINES = new Audit(System::nanoTime);

    private final LongSupplier clock;
    private final Map<String, Integer> written = new HashMap<>(); // guarded by this
    private long began; // guarded by this
    private int lines; // guarded by this
    private long unsaid; // guarded by this

    Audit(LongSupplier clock) {
        this.clock = clock;
        this.began = clock.getAsLong();
    }

    /** The caller may not do what it asked for. */
    static void refused(Peer caller, FarmException refusal) {
        String why = " why=" + quoted(refusal.detail());
        LINES.write("refused", caller, refusal.operation(), refusal.subject(), why);
    }

    /**
     * The same where that is what the failure says. That mode bits refuse something to a user of a
     * mount is told there and is not worth a line here.
     */
    static void answered(Peer caller, FarmException failure) {
        boolean right = failure.kind() == ErrorKind.NOT_PERMITTED;
        boolean access = failure.kind() == ErrorKind.ACCESS_DENIED;
        if (right || (access && caller.identity().role() != Role.MOUNT)) refused(caller, failure);
    }

    /** An act that only administrators may do was done. */
    public static void done(Peer caller, String operation, String subject) {
        LINES.write("done", caller, operation, subject, "");
    }

    private void write(String result, Peer who, String what, String subject, String why) {
        long before = admitted(who.identity().dn());
        if (before < 0) return;
        LOG.info(
                "result={} who={} as={}{} from={} what={} on={}{}{}",
                result,
                quoted(who.identity().dn()),
                who.identity().user(),
                who.identity().limited() ? " limited=yes" : "",
                who.address(),
                quoted(what),
                quoted(subject),
                why,
                before == 0 ? "" : " unsaid=" + before);
    }

    /** How many lines were left out before this one; -1: this one is, too. */
    synchronized long admitted(String name) {
        long now = clock.getAsLong();
        if (now - began >= SECOND) {
            began = now;
            lines = 0;
            written.clear();
        }
        int ofName = written.getOrDefault(name, 0);
        if (lines >= LINES_OF_ALL || ofName >= LINES_OF_ONE) {
            unsaid++;
            return -1;
        }
        lines++;
        written.put(name, ofName + 1);
        long before = unsaid;
        unsaid = 0;
        return before;
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

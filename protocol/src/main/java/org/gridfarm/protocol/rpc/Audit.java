package org.gridfarm.protocol.rpc;

import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.trace.Trace;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Who was refused what, who did what only administrators may, and (at level DEBUG) who was let in
 * as whom: one line of {@code key=value} each to the logger {@code org.gridfarm.audit}, which a
 * daemon sends to a file of its own ({@code audit_log}). Of many lines in a second the rest are
 * counted and told with the next. Thread-safe.
 *
 * <pre>
 *   result=refused who="/O=Grid/CN=Mallory" as=mallory from=10.0.0.7:40112 what="node-control" on="n1" why="…"
 *   result=done    who="/O=Grid/CN=Carol" as=carol from=10.0.0.8:51220 what="node-control" on="drain n1"
 *   result=mapped  who="/O=Grid/CN=Carol" as=carol from=10.0.0.8:51220 what="connect" on="meta1"
 *   result=done    who="/O=Grid/CN=Carol" as=carol from=10.0.0.8:51220 trace=4bf92f3577b34da6a3ce929d0e0e4736 what="admin" on="fsck"
 *   result=delegated who="/O=Grid/CN=Carol" as=carol from=10.0.0.8:51220 what="delegate" on="job 7" until=2026-11-27T22:00:00Z
 *   result=refused who="" as= from=10.0.0.9:40113 what="authenticate" on="CN=Eve" why="…"
 * </pre>
 */
public final class Audit {
    private static final Logger LOG = LoggerFactory.getLogger("org.gridfarm.audit");

    /** Of one name in a second, so that who makes noise hides nobody else. */
    private static final int LINES_OF_ONE = 10;

    private static final int LINES_OF_ALL = 200;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final Audit LINES = new Audit(System::nanoTime);

    /** Apart, so that neither connections nor strangers can keep the others' lines out. */
    private static final Audit MAPPED = new Audit(System::nanoTime);

    private static final Audit STRANGERS = new Audit(System::nanoTime);

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

    /** Tasks may act for the caller until then. */
    public static void delegated(Peer caller, String to, Instant until) {
        LINES.write("delegated", caller, "delegate", to, " until=" + until);
    }

    /** Somebody was let in, as whom the map says. */
    static void mapped(Peer caller, String server) {
        if (LOG.isDebugEnabled()) MAPPED.write("mapped", caller, "connect", server, "");
    }

    /** Somebody was not let in: his certificate proves nothing, or nothing that the map knows. */
    static void stranger(HostPort from, FarmException refusal) {
        long before = STRANGERS.admitted(from.host());
        if (before < 0) return;
        LOG.info(
                "result=refused who=\"\" as= from={} what={} on={} why={}{}",
                from,
                quoted(refusal.operation()),
                quoted(refusal.subject()),
                quoted(refusal.detail()),
                before == 0 ? "" : " unsaid=" + before);
    }

    private void write(String result, Peer who, String what, String subject, String why) {
        long before = admitted(who.identity().dn());
        if (before < 0) return;
        boolean quiet = result.equals("mapped");
        Trace trace = Trace.current();
        LOG.atLevel(quiet ? Level.DEBUG : Level.INFO)
                .log(
                        "result={} who={} as={}{} from={}{} what={} on={}{}{}",
                        result,
                        quoted(who.identity().dn()),
                        who.identity().user(),
                        who.identity().limited() ? " limited=yes" : "",
                        who.address(),
                        trace == null ? "" : " trace=" + trace.id(),
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

package org.gridfarm.metaserver.session;

import org.gridfarm.metaserver.coherence.LongMap;
import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;

/**
 * Counts something that sessions hold, for each and for all sessions of one user together. What a
 * session holds counts for its user until it is given back, also after the session's end. Owned by
 * the event thread.
 */
public final class Tally {
    private static final String NOBODY = "";

    private static final class Account {
        String user = NOBODY;
        int held;
        boolean open;
    }

    private final int perSession;
    private final int perUser;
    private final LongMap<Account> sessions = new LongMap<>();
    private final Map<String, Integer> users = new HashMap<>(); // nobody with nothing

    public Tally(int perSession, int perUser) {
        this.perSession = perSession;
        this.perUser = perUser;
    }

    /** Where nothing is bounded. */
    public static Tally unbounded() {
        return new Tally(Integer.MAX_VALUE, Integer.MAX_VALUE);
    }

    /** The session is this user's; what it is known to hold counts for him from now on. */
    public void opened(long session, String user) {
        Account account = account(session);
        account.open = true;
        if (account.user.equals(user)) return;
        count(account.user, -account.held);
        account.user = user;
        count(user, account.held);
    }

    public void ended(long session) {
        Account account = sessions.get(session);
        if (account == null) return;
        account.open = false;
        forgetIfIdle(session, account);
    }

    /** The session holds so many more, or less. */
    public void add(long session, int more) {
        if (more == 0) return;
        Account account = account(session);
        account.held += more;
        count(account.user, more);
        forgetIfIdle(session, account);
    }

    /**
     * Why the session may hold no more.
     *
     * @param less so many of what it holds it is about to give back
     * @return null: it may
     */
    public @Nullable String refusal(long session, int less) {
        Account account = sessions.get(session);
        if (account == null) return null;
        if (account.held - less >= perSession) {
            return perSession + " are all that a session may have";
        }
        if (users.getOrDefault(account.user, 0) - less >= perUser) {
            return perUser + " are all that the sessions of one user may have together";
        }
        return null;
    }

    /** As {@link #refusal}, of a session that the user is about to open. */
    public @Nullable String userRefusal(String user) {
        return users.getOrDefault(user, 0) < perUser
                ? null
                : perUser + " are all that one user may have";
    }

    public int held(long session) {
        Account account = sessions.get(session);
        return account == null ? 0 : account.held;
    }

    private Account account(long session) {
        Account account = sessions.get(session);
        if (account == null) {
            account = new Account();
            sessions.put(session, account);
        }
        return account;
    }

    private void forgetIfIdle(long session, Account account) {
        if (!account.open && account.held == 0) sessions.remove(session);
    }

    private void count(String user, int more) {
        users.merge(user, more, (a, b) -> a + b == 0 ? null : a + b);
    }
}

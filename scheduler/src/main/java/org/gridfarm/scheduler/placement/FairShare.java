package org.gridfarm.scheduler.placement;

import java.util.HashMap;
import java.util.Map;

/**
 * How much each user has had of the farm: slots × seconds, of which half is forgotten in every
 * {@link #HALF_LIFE_SECONDS}. Whoever has had least is served first, so one who comes now and then
 * does not wait behind one who keeps it busy. Owned by one thread.
 */
public final class FairShare {
    /** A long job of yesterday counts for nothing, the last hour for much. */
    static final double HALF_LIFE_SECONDS = 3600;

    /** Slot-seconds that are worth writing down. */
    private static final double COUNTS_FROM = 0.01;

    private static final class Account {
        double used; // slot-seconds, as of then
        double then;
        int running;
    }

    private final Map<String, Account> accounts = new HashMap<>();

    public void started(String user, int slots, double nowSeconds) {
        Account account = accounts.computeIfAbsent(user, _ -> new Account());
        settle(account, nowSeconds);
        account.running += slots;
    }

    public void ended(String user, int slots, double nowSeconds) {
        Account account = accounts.computeIfAbsent(user, _ -> new Account());
        settle(account, nowSeconds);
        account.running = Math.max(0, account.running - slots);
    }

    public int running(String user) {
        Account account = accounts.get(user);
        return account == null ? 0 : account.running;
    }

    /**
     * The lower, the sooner he is served.
     *
     * @param taskSeconds what runs now will have used when it ends
     */
    public double charge(String user, double nowSeconds, double taskSeconds) {
        Account account = accounts.get(user);
        if (account == null) {
            return 0;
        }
        settle(account, nowSeconds);
        return account.used + account.running * taskSeconds;
    }

    /** What everybody has had, as of now, without those who have had next to nothing. */
    public Map<String, Double> used(double nowSeconds) {
        Map<String, Double> used = new HashMap<>();
        accounts.values().forEach(account -> settle(account, nowSeconds));
        accounts.forEach((user, account) -> {
            if (account.used >= COUNTS_FROM) {
                used.put(user, account.used);
            }
        });
        return used;
    }

    /** Goes on from what somebody had had some time ago, as another process wrote it down. */
    public void restore(String user, double used, double ageSeconds, double nowSeconds) {
        Account account = accounts.computeIfAbsent(user, _ -> new Account());
        settle(account, nowSeconds);
        account.used += used * Math.pow(0.5, Math.max(0, ageSeconds) / HALF_LIFE_SECONDS);
    }

    private static void settle(Account account, double now) {
        double passed = Math.max(0, now - account.then);
        account.used =
                account.used * Math.pow(0.5, passed / HALF_LIFE_SECONDS) + account.running * passed;
        account.then = now;
    }
}

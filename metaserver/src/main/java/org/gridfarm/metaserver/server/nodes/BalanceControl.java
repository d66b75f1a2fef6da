package org.gridfarm.metaserver.server.nodes;

import com.google.protobuf.ByteString;

import org.gridfarm.metaserver.replica.BalanceEstimate;
import org.gridfarm.metaserver.replica.RepairLimits;
import org.gridfarm.metaserver.replica.RepairPlanner;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.JsonText;
import org.gridfarm.metaserver.server.state.LeaderContext;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.SettingImage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.Map;

/**
 * Balance as administrators ask for it: begun, paused, gone on with, and over by itself once the
 * nodes are even. What was asked for is a setting, so that the next leader goes on with it. Event
 * thread.
 */
public final class BalanceControl {
    private static final Logger log = LoggerFactory.getLogger(BalanceControl.class);

    static final String SETTING = "balance";
    private static final double SPREAD_DEFAULT = 0.05;

    /**
     * @param spread free shares may differ by so much at the end
     * @param rate bytes per second, 0: no limit
     */
    record Wish(boolean active, boolean paused, double spread, long rate) {
        static final Wish NONE = new Wish(false, false, SPREAD_DEFAULT, 0);

        ByteString text() {
            return ByteString.copyFromUtf8(
                    (active ? paused ? "paused " : "active " : "off ") + spread + " " + rate);
        }

        static Wish read(ByteString text) {
            String[] words = text.toStringUtf8().split(" ", -1);
            return new Wish(
                    !words[0].equals("off"),
                    words[0].equals("paused"),
                    Double.parseDouble(words[1]),
                    Long.parseLong(words[2]));
        }
    }

    private final FarmState state;
    private final RepairPlanner planner;
    private final LeaderContext leader;
    private Wish wish = Wish.NONE;

    public BalanceControl(FarmState state, RepairPlanner planner, LeaderContext leader) {
        this.state = state;
        this.planner = planner;
        this.leader = leader;
    }

    /** Goes on with what was asked of a former leader. */
    public void begin() {
        ByteString text = state.setting(SETTING);
        if (text != null) take(Wish.read(text));
    }

    /** Ends by itself. */
    public void tick() {
        if (wish.active() && !wish.paused() && planner.isBalanced() && allHeard()) {
            log.info("the nodes are balanced");
            decide(new Wish(false, false, wish.spread(), wish.rate()));
        }
    }

    /** A new leader knows nothing of a node's room before its first heartbeat. */
    private boolean allHeard() {
        for (var node : state.nodes().facts(state.monotonicNanos())) {
            if (node.state().takesNew()
                    && state.nodes().lastHeartbeat(node.name()).getCapacity() == 0) {
                return false;
            }
        }
        return true;
    }

    private void decide(Wish next) {
        take(next);
        SettingImage setting =
                SettingImage.newBuilder().setKey(SETTING).setValue(next.text()).build();
        leader.change(List.of(Change.newBuilder().setSetting(setting).build()), 0);
    }

    private void take(Wish next) {
        wish = next;
        boolean runs = next.active() && !next.paused();
        planner.limit(planner.limits().withBalance(next.rate(), runs ? next.spread() : 1));
    }

    /**
     * Arguments: action (start, pause, resume, stop, status), rate, spread, dry_run. The answer is
     * the status.
     */
    String command(Map<String, String> arguments) {
        String action = arguments.getOrDefault("action", "status");
        Wish next =
                switch (action) {
                    case "start" -> new Wish(true, false, spread(arguments), rate(arguments, 0));
                    case "pause" ->
                            new Wish(wish.active(), wish.active(), wish.spread(), wish.rate());
                    case "resume" ->
                            new Wish(
                                    wish.active(),
                                    false,
                                    wish.spread(),
                                    rate(arguments, wish.rate()));
                    case "stop" -> new Wish(false, false, wish.spread(), wish.rate());
                    case "status" -> wish;
                    default ->
                            throw new FarmException(
                                    ErrorKind.INVALID,
                                    "balance",
                                    action,
                                    "known are start, pause, resume, stop, status");
                };
        boolean only = Boolean.parseBoolean(arguments.getOrDefault("dry_run", "false"));
        if (!only && !next.equals(wish)) decide(next);
        return status(next);
    }

    private String status(Wish of) {
        RepairLimits limits = planner.limits().withBalance(of.rate(), of.spread());
        BalanceEstimate estimate = planner.balanceEstimate(limits);
        return new JsonText()
                .put("state", wish.active() ? wish.paused() ? "paused" : "active" : "off")
                .put("spread", of.spread())
                .put("rate", of.rate())
                .put("difference", estimate.difference())
                .put("fullest", estimate.fullest())
                .put("emptiest", estimate.emptiest())
                .put("bytes_left", estimate.bytes())
                .put("eta_seconds", estimate.seconds())
                .put(
                        "moving",
                        planner.runningCopies().stream()
                                .filter(c ->
                                        c.reason()
                                                == org.gridfarm.metaserver.replica.RepairEffect
                                                        .Reason.BALANCE)
                                .count())
                .toString();
    }

    private static double spread(Map<String, String> arguments) {
        String text = arguments.getOrDefault("spread", Double.toString(SPREAD_DEFAULT));
        try {
            double spread = Double.parseDouble(text);
            if (spread > 0 && spread < 1) return spread;
        } catch (NumberFormatException e) {
            log.debug("spread: {}", e.getMessage());
        }
        throw new FarmException(
                ErrorKind.INVALID, "balance", text, "the spread is between 0 and 1");
    }

    private static long rate(Map<String, String> arguments, long otherwise) {
        String text = arguments.getOrDefault("rate", Long.toString(otherwise));
        if (!text.matches("[0-9]{1,15}")) {
            throw new FarmException(
                    ErrorKind.INVALID, "balance", text, "the rate is in bytes per second");
        }
        return Long.parseLong(text);
    }
}

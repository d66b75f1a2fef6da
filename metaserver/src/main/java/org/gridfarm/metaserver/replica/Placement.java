package org.gridfarm.metaserver.replica;

import org.gridfarm.protocol.env.Entropy;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Chooses nodes for copies: first filters, whose refusals are kept to be told, then scores, added
 * up. One node after the other is chosen, so that each choice counts for the spread of the next.
 * Two copies never lie on one node.
 */
public final class Placement {
    /**
     * A node must have this much room beside the copy itself, since others are chosen for it at the
     * same time.
     */
    public static final long ROOM_BYTES = 16L << 20;

    private static final double GROUP_WANTED = 10_000;
    private static final double ATTACHED = 1_000;
    private static final double OTHER_HOST = 200;
    private static final double OTHER_RACK = 100;
    private static final double STRIPE_THERE = -300; // per other stripe of the file, up to
    private static final int STRIPES_THERE_MAX = 10;
    private static final double FREE_SHARE = 50;
    private static final double LOAD = 2; // per request under way, up to
    private static final double LOAD_MAX = 20;
    private static final double CHANCE = 5; // so that equal nodes are not all hit at once
    private static final double OCCUPIED = -80; // more than the three above, less than a rack

    /**
     * @param copies how many nodes are to be chosen
     * @param groups where copies are wanted, "siteA:2,siteB:1"; counts those already held, too
     * @param holding nodes that have a copy (or are to have none): not chosen, and their racks and
     *     hosts count for the spread
     * @param excluded nodes that are not chosen for another reason, which is told
     * @param attached the node beside whoever asks, which comes first; empty: none
     * @param bytes what one copy is expected to take
     * @param stripes how many other stripes of the file lie at a node: a file that is striped is to
     *     be read and written at as many nodes as possible
     * @param occupied nodes that can take nothing at this moment: one is chosen only where all
     *     others would spread the copies worse, and is then to be waited for
     */
    public record Wish(
            int copies,
            String groups,
            Set<String> holding,
            Map<String, String> excluded,
            String attached,
            long bytes,
            Map<String, Integer> stripes,
            Set<String> occupied) {
        public Wish(
                int copies,
                String groups,
                Set<String> holding,
                Map<String, String> excluded,
                String attached,
                long bytes) {
            this(copies, groups, holding, excluded, attached, bytes, Map.of(), Set.of());
        }

        public static Wish fresh(int copies, String groups, String attached) {
            return new Wish(copies, groups, Set.of(), Map.of(), attached, 0);
        }
    }

    /** Why a node was, or was not, chosen. */
    public record Judgement(
            String node, boolean chosen, String reason, Map<String, Double> scores) {
        public double total() {
            return scores.values().stream().mapToDouble(Double::doubleValue).sum();
        }

        @Override
        public String toString() {
            StringBuilder text =
                    new StringBuilder(node).append(": ").append(chosen ? "chosen" : reason);
            scores.forEach((name, score) ->
                    text.append(String.format(java.util.Locale.ROOT, ", %s %.0f", name, score)));
            return text.toString();
        }
    }

    /**
     * @param nodes chosen ones, the attached one first, then by score
     * @param missing how many copies found no node
     * @param forSpace whether some node was refused for lack of room alone
     */
    public record Plan(
            List<String> nodes, int missing, boolean forSpace, List<Judgement> judgements) {
        /** For people: a line per node. */
        public String why() {
            return String.join("\n", judgements.stream().map(Judgement::toString).toList());
        }
    }

    private final Entropy entropy;

    public Placement(Entropy entropy) {
        this.entropy = entropy;
    }

    public Plan plan(Wish wish, Collection<NodeFacts> nodes) {
        List<Judgement> judgements = new ArrayList<>();
        List<NodeFacts> candidates = new ArrayList<>();
        Spread spread = new Spread(wish.groups());
        boolean forSpace = false;
        for (NodeFacts node : nodes) {
            // What lies on a node that is leaving will not be in its rack for long.
            if (wish.holding().contains(node.name()) && node.state().counts()) {
                spread.add(node);
            }
            String refusal = refusal(wish, node);
            if (refusal.isEmpty()) {
                candidates.add(node);
            } else {
                forSpace |= refusal.equals("no room");
                judgements.add(new Judgement(node.name(), false, refusal, Map.of()));
            }
        }
        List<String> chosen = new ArrayList<>();
        while (chosen.size() < wish.copies() && !candidates.isEmpty()) {
            Judgement best = best(wish, candidates, spread);
            NodeFacts node =
                    candidates.stream()
                            .filter(n -> n.name().equals(best.node()))
                            .findFirst()
                            .orElseThrow();
            candidates.remove(node);
            spread.add(node);
            chosen.add(node.name());
            judgements.add(best);
        }
        for (NodeFacts node : candidates) {
            judgements.add(
                    new Judgement(node.name(), false, "not needed", scores(wish, node, spread)));
        }
        return new Plan(chosen, wish.copies() - chosen.size(), forSpace, judgements);
    }

    private static String refusal(Wish wish, NodeFacts node) {
        if (wish.holding().contains(node.name())) {
            return "has a copy";
        }
        boolean isMissed =
                node.state() == NodeState.SUSPECT && wish.occupied().contains(node.name());
        if (!node.state().takesNew() && !isMissed) {
            return "is " + node.state().text();
        }
        String excluded = wish.excluded().get(node.name());
        if (excluded != null) {
            return excluded;
        }
        return node.capacity() > 0 && node.available() < wish.bytes() + ROOM_BYTES ? "no room" : "";
    }

    private Judgement best(Wish wish, List<NodeFacts> candidates, Spread spread) {
        Judgement best = null;
        for (NodeFacts node : candidates) {
            Map<String, Double> scores = scores(wish, node, spread);
            scores.put("chance", entropy.nextDouble() * CHANCE);
            Judgement judged = new Judgement(node.name(), true, "", scores);
            if (best == null || judged.total() > best.total()) {
                best = judged;
            }
        }
        if (best == null) {
            throw new IllegalStateException("no candidate");
        }
        return best;
    }

    private static Map<String, Double> scores(Wish wish, NodeFacts node, Spread spread) {
        Map<String, Double> scores = new LinkedHashMap<>();
        if (spread.wants(node.group())) {
            scores.put("group", GROUP_WANTED);
        }
        if (node.name().equals(wish.attached())) {
            scores.put("attached", ATTACHED);
        }
        if (!spread.hosts.isEmpty() && !spread.hosts.contains(node.host())) {
            scores.put("other host", OTHER_HOST);
        }
        if (!spread.racks.isEmpty() && !spread.racks.contains(node.rack())) {
            scores.put("other rack", OTHER_RACK);
        }
        int stripes = Math.min(STRIPES_THERE_MAX, wish.stripes().getOrDefault(node.name(), 0));
        if (stripes > 0) {
            scores.put("other stripes", stripes * STRIPE_THERE);
        }
        scores.put("free", node.freeShare() * FREE_SHARE);
        if (wish.occupied().contains(node.name())) {
            scores.put("occupied", OCCUPIED);
        }
        scores.put("load", -Math.min(LOAD_MAX, node.load() * LOAD));
        return scores;
    }

    /** Where the copies are so far. */
    private static final class Spread {
        final Set<String> hosts = new HashSet<>();
        final Set<String> racks = new HashSet<>();
        final Map<String, Integer> wanted;

        Spread(String groups) {
            wanted = groups(groups);
        }

        void add(NodeFacts node) {
            hosts.add(node.host());
            racks.add(node.rack());
            wanted.computeIfPresent(node.group(), (group, left) -> left - 1);
        }

        boolean wants(String group) {
            return wanted.getOrDefault(group, 0) > 0;
        }
    }

    /** Reads "siteA:2,siteB:1", as the namespace has checked it. */
    static Map<String, Integer> groups(String text) {
        Map<String, Integer> groups = new HashMap<>();
        for (String part : text.isEmpty() ? new String[0] : text.split(",", -1)) {
            int colon = part.indexOf(':');
            groups.merge(
                    part.substring(0, colon),
                    Integer.parseInt(part.substring(colon + 1)),
                    Integer::sum);
        }
        return groups;
    }
}

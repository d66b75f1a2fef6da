package org.gridfarm.client.core.transfer.sending;

import org.gridfarm.client.core.transfer.node.TransferLimits;
import org.gridfarm.client.core.transfer.sending.ChainEvent.Head;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * One object, its writer, the leader that knows its chain, and nodes that stop, die, come back and
 * fill up. Around {@link ChainState} it does what {@code ObjectChain} does. What one connection
 * carries keeps its order; all else is the seed's choice.
 */
final class ChainWorld {
    private static final int STEPS = 150;
    private static final int STEPS_TO_THE_END = 20_000;
    private static final int COMMANDS = 14;
    private static final long MILLI = Duration.ofMillis(1).toNanos();

    /** What is submitted. */
    static final class Command {
        final boolean append;
        boolean ended;
        @Nullable SimNode sentTo;
        int sentToLife;
        SimNode.How how;

        Command(boolean append) {
            this.append = append;
            this.how = append ? SimNode.How.APPEND : SimNode.How.WRITE;
        }
    }

    /** A command on its way, as its sender sees it. */
    static final class Attempt {
        final long number;
        final Head head;
        final SimNode node;
        final long timesOutAt;

        Attempt(long number, Head head, SimNode node, long timesOutAt) {
            this.number = number;
            this.head = head;
            this.node = node;
            this.timesOutAt = timesOutAt;
        }
    }

    private record Route(Head head, List<SimNode> members, int life) {}

    private final Random random;
    private final Planted.Plant plant;
    private final Planted state;
    private final Network network;
    private final Set<String> faults = new TreeSet<>();
    private final List<String> story = new ArrayList<>();
    private final Map<Long, Command> commands = new TreeMap<>();
    private final List<Attempt> attempts = new ArrayList<>();
    private final Map<Long, Long> wakes = new HashMap<>(); // by number
    private final List<Long> pauses = new ArrayList<>();
    private List<SimNode> chain = new ArrayList<>(); // as recorded
    private @Nullable Route route;
    private ChainAction.@Nullable Find finding;
    private ChainAction.@Nullable Look looking;
    private ChainAction.@Nullable Mend mending;
    private int sentToTell;
    private boolean hurt; // something failed since the last mending
    private boolean peace;
    private long fences = 1;
    private long fenceSent;
    private long fenceFloor;
    private long now;
    private int nodes;
    int completed;

    ChainWorld(long seed, Planted.Plant plant) {
        random = new Random(seed);
        this.plant = plant;
        state = new Planted(plant);
        network = new Network(faults, this::answered, this::ended);
        for (int i = 0; i < 2 + random.nextInt(2); i++) {
            chain.add(fresh());
        }
    }

    private SimNode fresh() {
        return network.add("n" + ++nodes);
    }

    /** What went wrong; empty: nothing. */
    Set<String> run() {
        try {
            for (int i = 0; i < STEPS && faults.isEmpty(); i++) {
                act();
            }
            end();
        } catch (IllegalStateException e) {
            faults.add("refused: " + e.getMessage());
        }
        return faults;
    }

    String told() {
        return String.join("\n", story);
    }

    private void end() {
        peace = true;
        network.all().forEach(SimNode::heal);
        for (int i = 0; i < STEPS_TO_THE_END && faults.isEmpty(); i++) {
            if (!goOn()) {
                break;
            }
        }
        if (faults.isEmpty() && !commands.values().stream().allMatch(command -> command.ended)) {
            faults.add("a command has not ended");
        }
        if (faults.isEmpty() && !(state.phase() instanceof Phase.Still)) {
            faults.add("comes to no rest: " + state.phase());
        }
    }

    private void act() {
        switch (random.nextInt(12)) {
            case 0, 1, 2 -> submit();
            case 3 -> disturb();
            default -> goOn();
        }
    }

    private void submit() {
        if (commands.size() >= COMMANDS) {
            return;
        }
        long number = commands.size();
        commands.put(number, new Command(random.nextInt(3) == 0));
        long deadline = now + (2 + random.nextInt(12)) * 1000 * MILLI;
        wakes.put(number, deadline);
        take(
                new ChainEvent.Submitted(
                        number, deadline, random.nextInt(8) == 0, random.nextInt(8) > 0));
    }

    private void disturb() {
        List<SimNode> all = network.all();
        SimNode node = all.get(random.nextInt(all.size()));
        switch (random.nextInt(5)) {
            case 0 -> die(node);
            case 1 -> node.hang();
            case 2 -> node.fill();
            default -> node.heal();
        }
        story.add("# " + node);
    }

    /** What was sent to it fails at once; so does what is sent before it is there again. */
    private void die(SimNode node) {
        node.die();
        network.died(node);
        for (Attempt attempt : List.copyOf(attempts)) {
            if (attempt.node == node) {
                ended(attempt, ErrorKind.DISCONNECTED);
            }
        }
    }

    /** One of all that can happen next; false: nothing can. */
    private boolean goOn() {
        List<Runnable> possible = new ArrayList<>(network.deliveries());
        if (finding != null) {
            possible.add(this::find);
        }
        if (looking != null) {
            possible.add(this::look);
        }
        if (mending != null) {
            possible.add(this::mend);
        }
        if (sentToTell > 0) {
            possible.add(() -> {
                sentToTell--;
                take(new ChainEvent.Sent());
            });
        }
        if (!peace) {
            possible.addAll(network.hopsThatTimeOut());
        }
        boolean idle = possible.isEmpty();
        if (idle || random.nextInt(4) == 0) {
            if (!pass(idle)) {
                return !idle;
            }
            return true;
        }
        possible.get(random.nextInt(possible.size())).run();
        return true;
    }

    /** Time passes: to the next that is due, or a little; false: nothing is waited for. */
    private boolean pass(boolean idle) {
        long next = Long.MAX_VALUE;
        for (long at : wakes.values()) {
            next = Math.min(next, at);
        }
        for (long at : pauses) {
            next = Math.min(next, at);
        }
        for (Attempt attempt : attempts) {
            next = Math.min(next, attempt.timesOutAt);
        }
        if (next == Long.MAX_VALUE) {
            return false;
        }
        boolean jumps = idle || random.nextInt(6) == 0;
        now = jumps ? Math.max(now, next) : Math.min(next, now + random.nextInt(200) * MILLI);
        due();
        return true;
    }

    private void due() {
        for (Attempt attempt : List.copyOf(attempts)) {
            if (attempt.timesOutAt <= now) {
                ended(attempt, ErrorKind.TIMED_OUT);
            }
        }
        for (long at : List.copyOf(pauses)) {
            if (at <= now) {
                pauses.remove(at);
                take(new ChainEvent.Paused());
            }
        }
        for (Map.Entry<Long, Long> wake : Map.copyOf(wakes).entrySet()) {
            if (wake.getValue() <= now && wakes.remove(wake.getKey(), wake.getValue())) {
                take(new ChainEvent.Due(wake.getKey()));
            }
        }
    }

    // ---- what the shell does

    private void take(ChainEvent event) {
        if (event instanceof ChainEvent.Answered e && e.outcome().getFailuresCount() > 0) {
            hurt = true;
        }
        List<ChainAction> actions = state.step(event, now);
        story.add(
                event
                        + " -> "
                        + state.phase()
                        + ", "
                        + actions.stream().map(ChainStory::shown).toList());
        actions.forEach(this::carryOut);
    }

    private void carryOut(ChainAction action) {
        if (action instanceof ChainAction.Send send) {
            send(send);
        } else if (action instanceof ChainAction.Look look) {
            looking = look;
        } else if (action instanceof ChainAction.Find find) {
            finding = find;
        } else if (action instanceof ChainAction.Mend mend) {
            mending = mend;
        } else if (action instanceof ChainAction.Pause) {
            pauses.add(now + TransferLimits.RETRY_PAUSE.toNanos());
        } else if (action instanceof ChainAction.Wake wake) {
            wakes.put(wake.number(), now + wake.after().toNanos());
        } else if (action instanceof ChainAction.Suspect) {
            hurt = true;
        } else if (action instanceof ChainAction.Fail fail) {
            end(fail.number());
        } else if (action instanceof ChainAction.Complete complete) {
            complete(complete.number());
        }
    }

    private void end(long number) {
        Command command = command(number);
        if (command.ended) {
            faults.add("a command ends twice");
        }
        command.ended = true;
        wakes.remove(number);
    }

    private Command command(long number) {
        Command command = commands.get(number);
        if (command == null) {
            throw new IllegalStateException("no command " + number);
        }
        return command;
    }

    private void complete(long number) {
        end(number);
        completed++;
        for (SimNode node : chain) {
            if (!node.has(number)) {
                faults.add("done, and a member of the chain does not have it");
            }
        }
    }

    private void find() {
        finding = null;
        if (!peace && random.nextInt(12) == 0) {
            take(new ChainEvent.NotFound(null, failure(ErrorKind.NOT_READY)));
            return;
        }
        SimNode first = chain.get(0);
        Head head =
                new Head(
                        first.name,
                        chain.stream().map(node -> node.name).collect(Collectors.toSet()));
        if (first.isDown()) {
            take(new ChainEvent.NotFound(head, failure(ErrorKind.UNAVAILABLE)));
        } else {
            route = new Route(head, List.copyOf(chain), first.life);
            take(new ChainEvent.Found(head));
        }
    }

    private Route route() {
        if (route == null) {
            throw new IllegalStateException("no chain was found");
        }
        return route;
    }

    private void send(ChainAction.Send send) {
        Route to = route();
        SimNode head = to.members.get(0);
        Command command = command(send.number());
        if (mending != null || hurt) {
            faults.add("sent while mending");
        }
        if (send.fence() <= fenceFloor) {
            faults.add("the fence is not higher");
        }
        fenceSent = Math.max(fenceSent, send.fence());
        command.sentTo = head;
        command.sentToLife = to.life;
        sentToTell++;
        Attempt attempt =
                new Attempt(send.number(), to.head, head, now + send.deadline().toNanos());
        attempts.add(attempt);
        if (head.isDown() || head.life != to.life) {
            ended(attempt, ErrorKind.DISCONNECTED);
        } else {
            network.send(new Network.Message(attempt, send.fence(), command.how, to.members));
        }
    }

    /** As {@code WriteCommand} does. */
    private void look() {
        ChainAction.Look look = looking;
        looking = null;
        if (look == null) {
            return;
        }
        Route at = route();
        SimNode head = at.members.get(0);
        Command command = command(look.number());
        boolean known = command.sentTo == head && command.sentToLife == at.life;
        if (!command.append || known) {
            take(new ChainEvent.NotDone(look.number()));
            return;
        }
        if (head.isDown() || head.life != at.life || head.isHung()) {
            boolean gone = !head.isHung();
            take(
                    new ChainEvent.Failed(
                            look.number(),
                            at.head,
                            failure(gone ? ErrorKind.DISCONNECTED : ErrorKind.TIMED_OUT)));
            take(new ChainEvent.Sent());
        } else if (head.has(look.number()) && (at.members.size() == 1 || headSuffices())) {
            take(
                    new ChainEvent.Answered(
                            look.number(), at.head, ChainOutcome.getDefaultInstance()));
            take(new ChainEvent.Sent());
        } else {
            command.how = head.has(look.number()) ? SimNode.How.WRITE : SimNode.How.APPEND;
            take(new ChainEvent.NotDone(look.number()));
        }
    }

    private boolean headSuffices() {
        return plant == Planted.Plant.APPENDS_THAT_THE_HEAD_HAS_ARE_DONE;
    }

    private void answered(Attempt attempt, ChainOutcome outcome) {
        if (attempts.remove(attempt)) {
            take(new ChainEvent.Answered(attempt.number, attempt.head, outcome));
        }
    }

    private void ended(Attempt attempt, ErrorKind kind) {
        if (attempts.remove(attempt)) {
            take(new ChainEvent.Failed(attempt.number, attempt.head, failure(kind)));
        }
    }

    private static FarmException failure(ErrorKind kind) {
        return new FarmException(kind, "write", "");
    }

    // ---- the leader

    private void mend() {
        ChainAction.Mend mend = mending;
        mending = null;
        if (mend == null) {
            return;
        }
        if (!attempts.isEmpty()) {
            faults.add("mended while something is under way");
        }
        ErrorKind refusal = peace ? null : refusal();
        if (refusal == null && !mend.failed().isEmpty()) {
            refusal = record(mend);
        }
        if (refusal != null) {
            take(new ChainEvent.NotMended(failure(refusal)));
            hurt = state.phase() instanceof Phase.Broken;
            return;
        }
        hurt = false;
        fenceFloor = fenceSent;
        take(new ChainEvent.Mended(++fences));
    }

    private @Nullable ErrorKind refusal() {
        int of = random.nextInt(40);
        return of == 0 ? ErrorKind.BAD_HANDLE : of < 8 ? ErrorKind.NOT_READY : null;
    }

    /** As {@code ChainFailures} and {@code Relocations} do; a joining member has joined at once. */
    private @Nullable ErrorKind record(ChainAction.Mend mend) {
        List<SimNode> left =
                chain.stream()
                        .filter(node -> !mend.failed().contains(node.name))
                        .collect(Collectors.toCollection(ArrayList::new));
        if (!left.isEmpty()) {
            if (random.nextInt(3) > 0) {
                left.addAll(copies(left.get(0), 1));
            }
            chain = left;
        } else if (mend.remedy() == ChainAction.Remedy.MOVE) {
            SimNode source = null;
            for (SimNode node : chain) {
                source = source == null && !node.isDown() ? node : source;
            }
            if (source == null) {
                return ErrorKind.DATA_UNAVAILABLE;
            }
            chain = copies(source, 2);
        } else if (completed > 0) {
            return ErrorKind.DATA_UNAVAILABLE;
        } else {
            chain = new ArrayList<>(List.of(fresh(), fresh()));
        }
        return null;
    }

    private List<SimNode> copies(SimNode source, int count) {
        List<SimNode> copies = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            SimNode copy = fresh();
            copy.fillFrom(source);
            copies.add(copy);
        }
        return copies;
    }
}

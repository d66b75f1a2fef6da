package org.gridfarm.client.core.transfer.sending;

import org.gridfarm.client.core.transfer.sending.ChainWorld.Attempt;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.MemberFailure;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/** The nodes, and what is on its way along their chains. */
final class Network {
    private static final String CLIENT = "client";

    /** A command on its way; it may be there twice, when who has it first was given up. */
    static final class Message {
        final Attempt attempt;
        final long fence;
        final SimNode.How how;
        final List<SimNode> rest; // to whom it goes yet
        final List<MemberFailure> failures = new ArrayList<>();
        String from = CLIENT;
        boolean givenUp; // to whom it goes next was passed over

        Message(Attempt attempt, long fence, SimNode.How how, List<SimNode> members) {
            this.attempt = attempt;
            this.fence = fence;
            this.how = how;
            this.rest = new ArrayList<>(members);
        }

        Message copy() {
            Message copy = new Message(attempt, fence, how, rest);
            copy.failures.addAll(failures);
            copy.from = from;
            return copy;
        }
    }

    private record Line(String from, SimNode to) {}

    private record Answer(Attempt attempt, ChainOutcome outcome) {}

    private final Set<String> faults;
    private final BiConsumer<Attempt, ChainOutcome> answered;
    private final BiConsumer<Attempt, ErrorKind> refused;
    private final List<SimNode> nodes = new ArrayList<>();
    private final Map<Line, Deque<Message>> lines = new LinkedHashMap<>();
    private final Map<SimNode, Deque<Answer>> answers = new LinkedHashMap<>(); // of heads

    Network(
            Set<String> faults,
            BiConsumer<Attempt, ChainOutcome> answered,
            BiConsumer<Attempt, ErrorKind> refused) {
        this.faults = faults;
        this.answered = answered;
        this.refused = refused;
    }

    SimNode add(String name) {
        SimNode node = new SimNode(name, faults);
        nodes.add(node);
        return node;
    }

    List<SimNode> all() {
        return nodes;
    }

    void send(Message message) {
        lines.computeIfAbsent(
                        new Line(message.from, message.rest.get(0)), line -> new ArrayDeque<>())
                .add(message);
    }

    List<Runnable> deliveries() {
        List<Runnable> possible = new ArrayList<>();
        lines.forEach((line, messages) -> {
            if (!messages.isEmpty() && !line.to.isHung()) {
                possible.add(() -> deliver(messages.removeFirst()));
            }
        });
        answers.forEach((head, line) -> {
            if (!line.isEmpty() && !head.isHung()) {
                possible.add(() -> {
                    Answer answer = line.removeFirst();
                    answered.accept(answer.attempt, answer.outcome);
                });
            }
        });
        return possible;
    }

    private void deliver(Message message) {
        SimNode to = message.rest.remove(0);
        if (to.isDown()) {
            passOver(message, to, ErrorKind.UNAVAILABLE);
            return;
        }
        ErrorKind refusal =
                to.take(message.attempt.number, message.fence, message.how, message.from);
        if (refusal != null) {
            passOver(message, to, refusal);
            return;
        }
        message.from = to.name;
        Message next = new Message(message.attempt, message.fence, SimNode.How.WRITE, message.rest);
        next.failures.addAll(message.failures);
        next.from = to.name;
        onwards(next);
    }

    private void passOver(Message message, SimNode failed, ErrorKind why) {
        if (message.givenUp) {
            return; // another has it already
        }
        if (message.from.equals(CLIENT)) {
            refused.accept(message.attempt, why);
            return;
        }
        message.failures.add(
                MemberFailure.newBuilder()
                        .setNode(failed.name)
                        .setErrorKind(why.number())
                        .setDetail(why.phrase())
                        .build());
        onwards(message);
    }

    private void onwards(Message message) {
        if (message.rest.isEmpty()) {
            answers.computeIfAbsent(message.attempt.node, head -> new ArrayDeque<>())
                    .add(
                            new Answer(
                                    message.attempt,
                                    ChainOutcome.newBuilder()
                                            .addAllFailures(message.failures)
                                            .build()));
        } else {
            send(message);
        }
    }

    /** Members that hang are given up by those before them, and may go on with it later. */
    List<Runnable> hopsThatTimeOut() {
        List<Runnable> possible = new ArrayList<>();
        lines.forEach((line, messages) -> {
            boolean waits = messages.stream().anyMatch(message -> !message.givenUp);
            if (waits && line.to.isHung() && !line.from.equals(CLIENT)) {
                possible.add(() -> giveUp(messages, ErrorKind.TIMED_OUT));
            }
        });
        return possible;
    }

    /** All that it has not answered goes to the next, in its order. */
    private void giveUp(Deque<Message> messages, ErrorKind why) {
        for (Message message : List.copyOf(messages)) {
            if (!message.givenUp) {
                message.givenUp = true;
                Message again = message.copy();
                passOver(again, again.rest.remove(0), why);
            }
        }
    }

    /** What it was sent and what it has not sent on are lost. */
    void died(SimNode node) {
        answers.remove(node);
        for (Line line : List.copyOf(lines.keySet())) {
            if (line.from.equals(node.name) || line.to == node) {
                Deque<Message> lost = lines.remove(line);
                if (lost != null && !line.from.equals(CLIENT) && !line.from.equals(node.name)) {
                    giveUp(lost, ErrorKind.DISCONNECTED);
                }
            }
        }
    }
}

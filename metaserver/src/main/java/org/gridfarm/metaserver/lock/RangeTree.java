package org.gridfarm.metaserver.lock;

import org.jspecify.annotations.Nullable;

import java.util.Comparator;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Locks of one kind in the order of their starts, of which those that overlap a range are found
 * without looking at the others: a balanced search tree (AVL) whose every node knows the last byte
 * of all below it (an interval tree, Cormen et al., chapter 17) and, where all below it are one
 * owner's, whose. So an owner's own locks, however many, are passed over at once as well.
 */
final class RangeTree {
    private static final Comparator<Held> ORDER =
            Comparator.comparingLong(Held::start)
                    .thenComparingLong(held -> held.owner().session())
                    .thenComparingLong(held -> held.owner().owner());

    private static final class Node {
        Held held;
        @Nullable Node left;
        @Nullable Node right;
        int height = 1;
        long end; // the last byte of all below
        @Nullable Owner only; // null: there are several owners

        Node(Held held) {
            this.held = held;
            this.end = held.end();
            this.only = held.owner();
        }
    }

    private @Nullable Node root;
    private int size;

    int size() {
        return size;
    }

    /** There is none of the same owner with the same start. */
    void add(Held held) {
        root = add(root, held);
        size++;
    }

    void remove(Held held) {
        root = remove(root, held);
        size--;
    }

    /** The first lock of another owner that overlaps, by start. */
    @Nullable Held firstOfOthers(Held wanted) {
        return first(root, wanted);
    }

    /** All of them in order, until the action says false. */
    void forEachOfOthers(Held wanted, Predicate<Held> action) {
        forEach(root, wanted, action);
    }

    /** All locks, in order. */
    void forEach(Consumer<Held> action) {
        forEach(root, action);
    }

    private static boolean mayHold(@Nullable Node node, Held wanted) {
        return node != null && node.end >= wanted.start() && !wanted.owner().equals(node.only);
    }

    private static boolean isWanted(Held held, Held wanted) {
        return held.overlaps(wanted) && !held.owner().equals(wanted.owner());
    }

    private static @Nullable Held first(@Nullable Node node, Held wanted) {
        if (node == null || !mayHold(node, wanted)) return null;
        Held found = first(node.left, wanted);
        if (found != null) return found;
        if (node.held.start() > wanted.end()) return null;
        return isWanted(node.held, wanted) ? node.held : first(node.right, wanted);
    }

    private static boolean forEach(@Nullable Node node, Held wanted, Predicate<Held> action) {
        if (node == null || !mayHold(node, wanted)) return true;
        if (!forEach(node.left, wanted, action)) return false;
        if (node.held.start() > wanted.end()) return true;
        if (isWanted(node.held, wanted) && !action.test(node.held)) return false;
        return forEach(node.right, wanted, action);
    }

    private static void forEach(@Nullable Node node, Consumer<Held> action) {
        if (node == null) return;
        forEach(node.left, action);
        action.accept(node.held);
        forEach(node.right, action);
    }

    private static Node add(@Nullable Node node, Held held) {
        if (node == null) return new Node(held);
        int order = ORDER.compare(held, node.held);
        if (order == 0) throw new IllegalStateException("two locks of one owner at one byte");
        if (order < 0) node.left = add(node.left, held);
        else node.right = add(node.right, held);
        return balanced(node);
    }

    private static @Nullable Node remove(@Nullable Node node, Held held) {
        if (node == null) throw new IllegalStateException("no such lock");
        int order = ORDER.compare(held, node.held);
        if (order < 0) {
            node.left = remove(node.left, held);
        } else if (order > 0) {
            node.right = remove(node.right, held);
        } else {
            if (node.left == null) return node.right;
            if (node.right == null) return node.left;
            Node next = node.right;
            while (next.left != null) next = next.left;
            node.held = next.held;
            node.right = remove(node.right, next.held);
        }
        return balanced(node);
    }

    private static Node balanced(Node node) {
        int lean = height(node.left) - height(node.right);
        Node left = node.left;
        Node right = node.right;
        if (lean > 1 && left != null) {
            if (height(left.left) < height(left.right)) node.left = raisedRight(left);
            return raisedLeft(node);
        }
        if (lean < -1 && right != null) {
            if (height(right.right) < height(right.left)) node.right = raisedLeft(right);
            return raisedRight(node);
        }
        sum(node);
        return node;
    }

    /** The left child takes the node's place. */
    private static Node raisedLeft(Node node) {
        Node up = node.left;
        if (up == null) throw new IllegalStateException("nothing to raise");
        node.left = up.right;
        sum(node);
        up.right = node;
        sum(up);
        return up;
    }

    private static Node raisedRight(Node node) {
        Node up = node.right;
        if (up == null) throw new IllegalStateException("nothing to raise");
        node.right = up.left;
        sum(node);
        up.left = node;
        sum(up);
        return up;
    }

    private static int height(@Nullable Node node) {
        return node == null ? 0 : node.height;
    }

    private static void sum(Node node) {
        node.height = 1 + Math.max(height(node.left), height(node.right));
        node.end = node.held.end();
        node.only = node.held.owner();
        include(node, node.left);
        include(node, node.right);
    }

    private static void include(Node node, @Nullable Node child) {
        if (child == null) return;
        node.end = Math.max(node.end, child.end);
        if (node.only != null && !node.only.equals(child.only)) node.only = null;
    }
}

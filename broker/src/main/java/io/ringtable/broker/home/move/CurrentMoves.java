package io.ringtable.broker.home.move;

import io.ringtable.broker.dispatch.AddressMove;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Knows which queues move, and what their consumers may read meanwhile. The directory has the same moves.
 * <p>
 * Thread: any reads; whoever takes the next step of a move writes.
 */
public final class CurrentMoves {
    private final ConcurrentMap<String, Step> steps = new ConcurrentHashMap<>();

    /**
     * Says how far a move is.
     *
     * @param isOpen whether the next home has the queue, and takes its messages
     * @param isNextRead whether consumers get what the next home has
     * @param isLeft whether consumers get nothing more from the old home, which is empty
     */
    record Step(AddressMove move, boolean isOpen, boolean isNextRead, boolean isLeft) {
        static Step begun(AddressMove move) {
            return new Step(move, false, false, false);
        }

        Step open() {
            return new Step(move, true, isNextRead, isLeft);
        }

        Step nextRead() {
            return new Step(move, isOpen, true, isLeft);
        }

        Step left(boolean value) {
            return new Step(move, isOpen, isNextRead || value, value);
        }
    }

    /** Returns the move of that queue; null if it stays where it is. */
    public AddressMove of(String queue) {
        Step step = step(queue);
        return step == null ? null : step.move();
    }

    /** Tells whether any queue moves. */
    public boolean isAny() {
        return !steps.isEmpty();
    }

    /**
     * Tells whether consumers of the queue get nothing of that shard now. The old home has to be emptied first.
     */
    public boolean isHeldBack(String queue, int shard) {
        Step step = step(queue);
        return step != null
                && (shard == step.move().to() && !step.isNextRead()
                        || shard == step.move().from() && step.isLeft());
    }

    Step step(String queue) {
        return steps.isEmpty() ? null : steps.get(queue); // most of the time nothing moves
    }

    Collection<Step> all() {
        return steps.values();
    }

    void put(Step step) {
        steps.put(step.move().queue(), step);
    }

    void remove(String queue) {
        steps.remove(queue);
    }
}

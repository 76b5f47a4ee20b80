package io.ringtable.benchmarks.design;

/**
 * Counts what a session has done.
 *
 * @param moved messages pushed or popped
 * @param ids sum of their numbers, so that a message that came twice instead of another one shows
 * @param missed attempts that found the slot full, or no message
 * @param late messages that came after one with a higher number
 * @param heldUpNanos that it waited for the only write lock of an embedded engine; servers tell their waits themselves
 */
public record Tally(long moved, long ids, long missed, long late, long heldUpNanos) {
    static final Tally NONE = new Tally(0, 0, 0, 0, 0);

    Tally plus(Tally other) {
        return new Tally(
                moved + other.moved,
                ids + other.ids,
                missed + other.missed,
                late + other.late,
                heldUpNanos + other.heldUpNanos);
    }
}

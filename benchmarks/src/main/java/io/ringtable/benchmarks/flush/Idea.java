package io.ringtable.benchmarks.flush;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * Names a form of the flush, as the designs of the suite {@code ablations}, and what it is compared with.
 * <p>
 * The store has no switches for its tables. So a model of it, with the tables and statements that matter, shows what
 * they gain; {@link #FLUSH_MODEL} beside {@link #FLUSH} shows how true the model is.
 */
enum Idea {
    /**
     * None of the ideas: the naive queue with every advantage that leaves it what it is. One session pushes and pops a
     * whole batch in one commit, and one statement takes the first rows.
     */
    NAIVE_BATCHED,
    /** The store's own flush. */
    FLUSH,
    /** The same, with one message for each session at most. */
    FLUSH_BATCH_1,
    /** The store's flush; what is delivered is read from the database, not from memory. */
    FLUSH_READ_BACK,
    /** The store's flush into a ring so large that nothing is reclaimed: no message moves to the backlog. */
    FLUSH_NO_BACKLOG,
    /** A model of the flush, with all its ideas. */
    FLUSH_MODEL,
    /** The model with a row for each settlement instead of a bitmap for a thousand. */
    FLUSH_SETTLE_ROWS,
    /** The model with a count of readers in the message's row that each of them counts down. */
    FLUSH_COUNT_IN_ROW,
    /** The model with slots that lie apart and are overwritten in place. */
    FLUSH_SCATTERED;

    static Optional<Idea> of(String design) {
        return Arrays.stream(values())
                .filter(idea -> idea.name().toLowerCase(Locale.ROOT).equals(design))
                .findFirst();
    }

    boolean isModel() {
        return compareTo(FLUSH_MODEL) >= 0;
    }
}

package io.ringtable.benchmarks.design;

import io.ringtable.benchmarks.engine.BenchmarkDatabase;
import java.time.Duration;

/**
 * Pushes a batch through a design of the articles and pops it, again and again, each in a session of its own. Closing
 * it ends the sessions and leaves the database. Thread: one at a time.
 */
public final class PushAndPop implements AutoCloseable {
    private static final int RING_SIZE = 20_000;
    private static final Duration BATCH_MAX = Duration.ofMinutes(1);

    private final Session pusher;
    private final Session popper;

    /**
     * Creates the design's tables.
     *
     * @param bodyBytes length of each body, at least 11
     */
    public PushAndPop(BenchmarkDatabase database, String design, int bodyBytes) {
        DesignDatabase tables = DesignDatabase.create(
                database, Designs.ofTheBuild().of(design), new QueueShape(1, bodyBytes, 1, RING_SIZE), true);
        pusher = tables.pusher(null);
        popper = tables.popper(0, null);
    }

    /**
     * Makes a batch durable, and then that its messages were taken.
     *
     * @param messages at most as many as there are slots
     */
    public void batch(int messages) {
        move(pusher, messages);
        move(popper, messages);
    }

    private static void move(Session session, int messages) {
        Tally tally = session.move(messages, BATCH_MAX, messages);
        if (tally.moved() != messages) {
            throw new IllegalStateException(tally.moved() + " of " + messages + " messages were moved in " + BATCH_MAX);
        }
    }

    @Override
    public void close() {
        pusher.close();
        popper.close();
    }
}

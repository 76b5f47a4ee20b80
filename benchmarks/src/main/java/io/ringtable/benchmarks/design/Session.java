package io.ringtable.benchmarks.design;

import java.time.Duration;

/** Pushes, or pops for one subscriber, through a connection of its own. Thread: one at a time. */
interface Session extends AutoCloseable {

    /**
     * Moves messages until there are as many as asked for, or the time is over. All of them are committed then.
     *
     * @param batch messages per commit
     */
    Tally move(long most, Duration time, int batch);

    /**
     * Returns the number that was taken and that no message has gone in, or come out, with yet; null if there is none.
     * The next session must have it: nobody else fills, or empties, its slot.
     */
    Long pending();

    @Override
    void close();
}

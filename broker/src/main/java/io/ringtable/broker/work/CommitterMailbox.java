package io.ringtable.broker.work;

import io.ringtable.broker.message.Refusal;
import java.util.List;
import java.util.function.Consumer;

/**
 * The door to the committer.
 * <p>
 * Thread: any; nothing here blocks.
 */
public interface CommitterMailbox {

    /**
     * Hands in work with messages or a transaction.
     *
     * @return false if the inbox is full: stop taking transfers and ask {@link #onRoom}
     */
    boolean trySubmit(Work work);

    /** Calls the listener once when there is room again, on the committer's thread; at once if there is. */
    void onRoom(Runnable listener);

    /**
     * Hands in a settlement, on a path of its own that is never full: credit bounds it.
     *
     * @param completion null if nobody waits for it
     */
    void settle(Settle settlement, Completion completion);

    /** Longest encoded message, in bytes, that goes in without {@link #stage}. */
    int inlineBytesMax();

    /** A body id for {@link #stage}; never reused. */
    long nextBodyId();

    /**
     * Stores a large body before its work is submitted, on a thread of its own.
     *
     * @param done called with null, or with why it failed, on that thread
     */
    void stage(long bodyId, byte[] body, Consumer<Refusal> done);

    /** Lets go of body ids, stored or not, whose work will not be submitted. */
    void abandon(List<Long> bodyIds);
}

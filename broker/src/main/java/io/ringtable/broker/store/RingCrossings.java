package io.ringtable.broker.store;

import io.ringtable.broker.message.InboxMessage;
import java.util.List;

/**
 * Takes messages over from the inbox of another database, each once (ADR 63): the part of the port for the carrier of a
 * shard.
 * <p>
 * There is no transaction over two databases. So the shard's own one keeps, with the messages, the ids that they had in
 * the other one. A call that goes on after its answer was lost has a number that counts no more.
 * <p>
 * Thread: one at a time, any.
 */
public interface RingCrossings {

    /**
     * Tells how far a shard has taken messages over.
     *
     * @param number of the last call; the next one has the next number
     * @param inboxIds rows that the last call took over, by their ids in the other database, where they may still lie
     */
    record Crossing(long number, List<Long> inboxIds) {}

    /**
     * Begins to take over from another database. Every {@link #takeOver} that was sent before changes nothing from now
     * on, unless it has changed everything by now. Fails as {@link StoreFailure.Kind#FENCED} under another epoch.
     *
     * @param origin the other database, by the lowest shard that lies in it
     */
    Crossing openCrossing(long epoch, int origin);

    /**
     * Lays messages into the shard's inbox, in this order, and keeps their ids in place of those of the call before.
     * Fails as {@link StoreFailure.Kind#RETRYABLE} if the crossing has another number by now.
     *
     * @param number the one that follows the crossing's
     * @param messages as they were read in the other database; at most as many as one {@link RingReads#readInbox} gives
     */
    void takeOver(long epoch, int origin, long number, List<InboxMessage> messages);

    /**
     * Deletes what the shard of this number has taken over. Asked of a store that is open in the other database, and
     * owns nothing there. Rows that are gone are passed over.
     */
    void removeTakenOver(List<Long> inboxIds);
}

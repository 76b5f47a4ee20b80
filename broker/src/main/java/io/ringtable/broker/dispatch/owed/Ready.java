package io.ringtable.broker.dispatch.owed;

import io.ringtable.broker.dispatch.consumer.Consumer;
import io.ringtable.broker.message.Message;

/**
 * A message in memory that waits to be given out by one subscription.
 *
 * @param sequence its place in the order: the message's sequence, or for a volatile subscription a count of its own
 * @param pending the message's bits as its row has them
 * @param notHere a consumer that must not get it again; null = anyone
 */
public record Ready(
        Message message, long sequence, int group, long pending, int failures, boolean redelivered, Consumer notHere) {

    /** What an object and its references cost beside the body, for the memory budget. */
    public static final int OVERHEAD_BYTES = 200;

    public int weight() {
        return message.bytes() + OVERHEAD_BYTES;
    }
}

package io.ringtable.broker.replay;

import io.ringtable.broker.catalog.SubscriptionEntry;
import io.ringtable.broker.store.StoredMessage;
import java.util.List;

/** Makes copies durable, in one flush with how far they take their subscription. Thread: committer. */
@FunctionalInterface
public interface CopyWriter {

    /**
     * @param entry the subscription that owes the copies, and nobody else
     * @param rows what to copy
     * @param position everything that is kept below has been copied with them
     * @param now ms since the epoch
     * @return whether they are durable; if not, nothing of them is left anywhere
     */
    boolean write(SubscriptionEntry entry, List<StoredMessage> rows, long position, long now);
}

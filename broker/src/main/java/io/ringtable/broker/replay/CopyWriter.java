package io.ringtable.broker.replay;

import io.ringtable.broker.catalog.SubscriptionEntry;
import io.ringtable.broker.store.StoredMessage;
import java.util.List;

/** Makes copies durable, in one flush with the position that they bring their subscription to. Thread: committer. */
@FunctionalInterface
public interface CopyWriter {

    /**
     * Writes copies in one flush.
     *
     * @param entry the one subscription that owes the copies
     * @param rows what to copy
     * @param position everything kept below it is copied once these copies are
     * @return whether the copies are durable; if not, nothing of them remains
     */
    boolean write(SubscriptionEntry entry, List<StoredMessage> rows, long position);
}

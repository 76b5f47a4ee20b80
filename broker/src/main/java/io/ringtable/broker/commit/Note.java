package io.ringtable.broker.commit;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.store.Flush;

/** What reaches the committer on the path that is never full: it only takes something away or marks something. */
sealed interface Note {
    /** @param completion may be null */
    record Settled(Settle settle, Completion completion) implements Note {}

    record Failed(Subscription subscription, Flush.Redelivery redelivery) implements Note {}

    record DispatchBound(Subscription subscription, Flush.DispatchBound bound) implements Note {}

    /** Answered once everything before it is durable. */
    record Fence(Subscription subscription) implements Note {}
}

package io.ringtable.broker.commit;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Settle;

/**
 * Reports to the committer what became of deliveries, on the path that is never full: it only takes something away or marks something.
 */
sealed interface DeliveryReport {
    /** @param completion may be null */
    record Settled(Settle settle, Completion completion) implements DeliveryReport {}

    record Failed(Subscription subscription, Flush.Redelivery redelivery) implements DeliveryReport {}

    record DispatchBound(Subscription subscription, Flush.DispatchBound bound) implements DeliveryReport {}

    /** Answered once everything before it is durable. */
    record Fence(Subscription subscription) implements DeliveryReport {}
}

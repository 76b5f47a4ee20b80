package io.ringtable.broker.dispatch;

import io.ringtable.broker.catalog.CatalogInbox;
import io.ringtable.broker.commit.CommitterInbox;
import io.ringtable.broker.commit.Lease;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.message.DeliveryKey;
import java.util.Optional;

/** The doors of one shard, for those who bring clients to it. Thread: any. */
public interface Shard {
    CatalogInbox catalog();

    CommitterInbox committer();

    DispatcherMailbox dispatcher();

    AddressPolicies policies();

    /** Until when anything may leave. */
    Lease lease();

    /** What tags of deliveries get their codes by; empty where nobody but the broker reaches the store. */
    Optional<DeliveryKey> deliveryKey();
}

package io.ringtable.broker.dispatch;

import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.message.DeliveryKey;
import io.ringtable.broker.ownership.Lease;
import io.ringtable.broker.work.CommitterMailbox;
import java.util.Optional;

/** The doors of one shard, for those who bring clients to it. Thread: any. */
public interface Shard {
    CatalogMailbox catalog();

    CommitterMailbox committer();

    DispatcherInbox dispatcher();

    AddressPolicies policies();

    /** Until when anything may leave. */
    Lease lease();

    /** What tags of deliveries get their codes by; empty where nobody but the broker reaches the store. */
    Optional<DeliveryKey> deliveryKey();
}

package io.ringtable.broker.dispatch;

import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.message.DeliveryKey;
import io.ringtable.broker.overflow.BodyIds;
import io.ringtable.broker.overflow.StagerMailbox;
import io.ringtable.broker.ownership.Lease;
import io.ringtable.broker.work.CommitterMailbox;
import java.util.Optional;

/** The doors of one shard, for those who bring clients to it. Thread: any. */
public interface Shard {
    /** Takes changes of the catalogue. */
    CatalogMailbox catalog();

    /** What there is in the catalogue, at once. */
    CatalogLookup lookup();

    CommitterMailbox committer();

    /** Takes large bodies before their work. */
    StagerMailbox stager();

    BodyIds bodyIds();

    DispatcherMailbox dispatcher();

    AddressPolicies policies();

    /** Until when anything may leave. */
    Lease lease();

    /** What tags of deliveries get their codes by; empty where nobody but the broker reaches the store. */
    Optional<DeliveryKey> deliveryKey();
}

package io.ringtable.broker.dispatch;

import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import io.ringtable.broker.dispatch.policy.CurrentPolicies;
import io.ringtable.broker.message.DeliveryKey;
import io.ringtable.broker.overflow.BodyIds;
import io.ringtable.broker.overflow.StagerMailbox;
import io.ringtable.broker.ownership.Lease;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.broker.work.CommitterMailbox;
import java.util.Optional;

/** Gives the code that brings clients to a shard the ways into it. Thread: any. */
public interface Shard {
    /** Takes changes of the catalogue. */
    CatalogMailbox catalog();

    /** Answers at once what there is in the catalogue. */
    CatalogLookup lookup();

    CommitterMailbox committer();

    /** Takes large bodies before the work that they belong to. */
    StagerMailbox stager();

    BodyIds bodyIds();

    DispatcherMailbox dispatcher();

    /** Returns what holds for addresses, now and after each change. */
    CurrentPolicies policies();

    /** Hears of what is done for sampled messages. */
    MessageTraces traces();

    /** Returns the lease: nothing leaves the node once it is over. */
    Lease lease();

    /** Returns how many duplicate ids each stored address remembers; 0 = none. */
    int duplicateIds();

    /** Returns the key for the codes of delivery tags. Empty where the broker alone reaches the store. */
    Optional<DeliveryKey> deliveryKey();
}

package io.ringtable.broker.dispatch;

import io.ringtable.broker.message.DeliveryKey;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.overflow.BodyIds;
import io.ringtable.broker.overflow.StagerMailbox;
import io.ringtable.broker.ownership.Lease;
import java.util.Optional;

/** Gives the ways into a shard for which the caller has to know the home of its address. Thread: any. */
public interface Home {
    /** Returns the number of the shard, from 0. */
    int number();

    /** Returns the lease of the shard: nothing of the shard leaves the node once it is over. */
    Lease lease();

    /** Returns why the shard takes nothing now, though other shards of the node do; null while it does. */
    default Refusal refusal() {
        return null;
    }

    /** Takes large bodies before the work that they belong to. */
    StagerMailbox stager();

    /** Gives ids to large bodies, and says from which length on they are large. */
    BodyIds bodyIds();

    /** Returns the key for the codes of delivery tags. Empty where the broker alone reaches the store. */
    Optional<DeliveryKey> deliveryKey();
}

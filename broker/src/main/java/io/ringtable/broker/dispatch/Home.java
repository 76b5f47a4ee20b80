package io.ringtable.broker.dispatch;

import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import io.ringtable.broker.message.DeliveryKey;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.overflow.BodyIds;
import io.ringtable.broker.overflow.StagerMailbox;
import io.ringtable.broker.ownership.Lease;
import io.ringtable.broker.work.CommitterMailbox;
import java.util.Optional;

/**
 * Gives the ways into the shard that an address lives in. A link asks for its home once ({@link Shard#homeOf}) and
 * keeps it. So what the link says reaches the shard that its address is of, and no later one of the same number.
 * <p>
 * Thread: any. Two homes are the same if they are the same object.
 */
public interface Home {
    /** The code of a refusal by a shard that is away, and has no owner elsewhere. */
    String AWAY = "RT-4533";

    /** The code of a refusal by a shard that another node serves. */
    String ELSEWHERE = "RT-4600";

    /**
     * Names another node that owns a shard.
     *
     * @param nodeId that the node keeps across restarts
     * @param description for people: host and process
     * @param url where clients reach the node; null while it has told none
     */
    record Owner(String nodeId, String description, String url) {
        @Override
        public String toString() {
            return "node '" + description + "' at " + (url == null ? "a URL that it has not told yet" : url);
        }
    }

    /** Returns the number of the shard, from 0. */
    int number();

    /** Returns the node that owns the shard, if it is another one that is seen; else null. */
    default Owner elsewhere() {
        return null;
    }

    /** Returns the lease of the shard: nothing of the shard leaves the node once it is over. */
    Lease lease();

    /** Returns why the shard takes nothing now, though other shards of the node do; null while it does. */
    default Refusal refusal() {
        return null;
    }

    /** Tells whether the shard has ended here: it answers nothing any more, and never again. */
    boolean isOver();

    /** Takes changes of what lives in the shard. */
    CatalogMailbox catalog();

    /** Answers at once what lives in the shard. */
    CatalogLookup lookup();

    /** Takes works all of whose addresses live in the shard. */
    CommitterMailbox committer();

    /** Takes what consumers of the shard's subscriptions say. */
    DispatcherMailbox dispatcher();

    /** Takes large bodies before the work that they belong to. */
    StagerMailbox stager();

    /** Gives ids to large bodies, and says from which length on they are large. */
    BodyIds bodyIds();

    /** Returns the key for the codes of delivery tags. Empty where the broker alone reaches the store. */
    Optional<DeliveryKey> deliveryKey();
}

package io.ringtable.broker.home;

import io.ringtable.broker.catalog.Catalog;
import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import io.ringtable.broker.dispatch.policy.CurrentPolicies;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.DeliveryKey;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.overflow.BodyIds;
import io.ringtable.broker.overflow.StagerMailbox;
import io.ringtable.broker.ownership.Lease;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.broker.work.CommitterMailbox;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Stands for a shard that has stopped while others of the node go on. Knows the names that the shard had, so that
 * nobody makes them anew elsewhere, and takes nothing: each call is refused with RT-4533. Holds no messages.
 * <p>
 * Thread: any.
 */
public final class AwayShard implements Shard, Home {
    private final int number;
    private final Catalog had;
    private final CurrentPolicies policies;
    private final MessageTraces traces;
    private final int duplicateIds;
    private final Refusal refusal;
    private final AwayCatalog catalog;
    private final AwayCommitter committer;
    private final AwayDispatcher dispatcher;
    private final Lease lease = Lease.withoutEnd();

    /**
     * @param was the shard, as it ran
     * @param had what was in it; its committer changes it no more once it has ended
     * @param why the shard is away, for people
     */
    public AwayShard(Shard was, Catalog had, String why) {
        this.number = had.shard();
        this.had = had;
        this.policies = was.policies();
        this.traces = was.traces();
        this.duplicateIds = was.duplicateIds();
        this.refusal = refusal(number, why);
        this.catalog = new AwayCatalog(refusal);
        this.committer = new AwayCommitter(refusal);
        this.dispatcher = new AwayDispatcher(refusal);
        lease.end();
    }

    /** Says why a shard takes nothing now. @param why it is away, for people */
    public static Refusal refusal(int shard, String why) {
        return new Refusal(
                Refusal.Reason.UNAVAILABLE,
                "RT-4533",
                "shard " + shard + " of this node is away: try again, it comes back by itself unless GET /readyz says"
                        + " otherwise; " + why);
    }

    /** Returns the first shard that is away; null if none is. */
    static AwayShard firstOf(List<? extends Shard> shards) {
        for (Shard shard : shards) {
            if (shard instanceof AwayShard away) {
                return away;
            }
        }
        return null;
    }

    /** Returns why a name that nobody knows is not given now. The shard may have stored it with its last flush. */
    Refusal ofNewNames(String what) {
        return new Refusal(
                Refusal.Reason.UNAVAILABLE,
                "RT-4534",
                what + " cannot be made while shard " + number + ", which may have it, is away: try again once GET"
                        + " /readyz answers 200");
    }

    /** Returns what was in the shard when it stopped. */
    public Catalog had() {
        return had;
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public boolean isOver() {
        return true;
    }

    @Override
    public Refusal refusal() {
        return refusal;
    }

    @Override
    public CatalogMailbox catalog() {
        return catalog;
    }

    @Override
    public CatalogLookup lookup() {
        return had;
    }

    @Override
    public CommitterMailbox committer() {
        return committer;
    }

    @Override
    public DispatcherMailbox dispatcher() {
        return dispatcher;
    }

    @Override
    public CurrentPolicies policies() {
        return policies;
    }

    @Override
    public MessageTraces traces() {
        return traces;
    }

    /** Returns a lease that is over. */
    @Override
    public Lease lease() {
        return lease;
    }

    @Override
    public int duplicateIds() {
        return duplicateIds;
    }

    @Override
    public Home homeOf(Address address) {
        return this;
    }

    @Override
    public void collectNow(int shard) {
        // The collector looks by itself once the shard is back.
    }

    @Override
    public StagerMailbox stager() {
        return new StagerMailbox() {
            @Override
            public void stage(long bodyId, byte[] body, Consumer<Refusal> done) {
                done.accept(refusal);
            }

            @Override
            public void abandon(List<Long> bodyIds) {
                // Recovery finds bodies without a message.
            }
        };
    }

    /** {@inheritDoc} No body is large here, since none is stored. */
    @Override
    public BodyIds bodyIds() {
        return new BodyIds() {
            @Override
            public int inlineBytesMax() {
                return Integer.MAX_VALUE;
            }

            @Override
            public long nextBodyId() {
                throw new IllegalStateException("no body is large in a shard that is away");
            }
        };
    }

    @Override
    public Optional<DeliveryKey> deliveryKey() {
        return Optional.empty();
    }

    @Override
    public String toString() {
        return "shard " + number + ", which is away";
    }
}

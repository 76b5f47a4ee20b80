package io.ringtable.broker.home;

import io.ringtable.broker.catalog.Catalog;
import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import io.ringtable.broker.dispatch.policy.CurrentPolicies;
import io.ringtable.broker.home.directory.Directory;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressQuota;
import io.ringtable.broker.message.DeliveryKey;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.overflow.BodyIds;
import io.ringtable.broker.overflow.StagerMailbox;
import io.ringtable.broker.ownership.Lease;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.store.directory.HomeRow;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.broker.work.CommitterMailbox;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Stands for a shard that has stopped while others of the node go on, or whose database was away when the node began.
 * Knows the names that the shard had, so that nobody makes them anew elsewhere, and takes nothing: each call is refused
 * with RT-4533. Holds no messages.
 * <p>
 * Thread: any.
 */
public final class AwayShard implements Shard, Home {
    /** Stands for a bound that nobody knows, so large that the shard itself refuses. Those of 1,024 parts add up. */
    private static final long UNKNOWN = Integer.MAX_VALUE;

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
     * @param was the shard, as it ran, or another one of the node
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

    /**
     * Stands for a shard that this node has not seen yet. The directory says which addresses it has; nobody knows what
     * they hold, and what bounds they have.
     *
     * @param neighbour a shard of the node that runs
     * @param why the shard is away, for people
     */
    public static AwayShard unseen(Shard neighbour, int number, Directory directory, String why) {
        Catalog names = new Catalog(number);
        long id = ShardIds.first(number); // of no consequence: nothing that names it is taken
        for (List<HomeRow> rows : directory.all()) {
            for (HomeRow row : rows) {
                if (row.scope() == HomeRow.Scope.ADDRESS && (row.shard() == number || row.next() == number)) {
                    names.add(new Address(id++, row.name(), row.kind(), new AddressQuota(UNKNOWN, UNKNOWN)));
                }
            }
        }
        return new AwayShard(neighbour, names, why);
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

    /** Returns the shard of that number if it is away; null if it runs, or if there is none. */
    static AwayShard of(List<? extends Shard> shards, int number) {
        return number >= 0 && number < shards.size() && shards.get(number) instanceof AwayShard away ? away : null;
    }

    /** Returns why a name is not made now: the shard may have it, or is to have it. */
    Refusal.Refused refusesNew(String what) {
        return new Refusal.Refused(new Refusal(
                Refusal.Reason.UNAVAILABLE,
                "RT-4534",
                what + " cannot be made while shard " + number + ", which may have it, is away: try again once GET"
                        + " /readyz answers 200"));
    }

    /** Returns what was in the shard when it stopped; the names alone if it was never seen. */
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

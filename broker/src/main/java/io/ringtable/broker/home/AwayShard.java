package io.ringtable.broker.home;

import io.ringtable.broker.catalog.AddressEntry;
import io.ringtable.broker.catalog.Catalog;
import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.dispatch.CreationElsewhere;
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
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * Stands for a shard that this node does not serve. Another node owns it, or it has stopped while others of the node go
 * on. Or its database was away when the node began. Knows the names that the shard has, so that nobody makes them anew
 * in another one, and takes nothing. Each call is refused with RT-4600, which names the node that owns the shard, or
 * with RT-4533 if none is seen that does. Holds no messages.
 * <p>
 * Thread: any. The names of a shard that other nodes may own follow the directory, under the lock of this object.
 */
public final class AwayShard implements Shard, Home {
    /** Stands for a bound that nobody knows, so large that the shard itself refuses. Those of 1,024 parts add up. */
    private static final long UNKNOWN = Integer.MAX_VALUE;

    private final int number;
    private final Catalog had;
    private final CurrentPolicies policies;
    private final MessageTraces traces;
    private final int duplicateIds;
    private final IntFunction<Owner> owners;
    private final Refusal whileAway;
    private final AwayCatalog catalog = new AwayCatalog(this::refusal, this::lookup);
    private final AwayCommitter committer = new AwayCommitter(this::refusal);
    private final AwayDispatcher dispatcher = new AwayDispatcher(this::refusal);
    private final Lease lease = Lease.withoutEnd();
    private long nextId; // under the lock. Of no consequence: nothing that names the id is taken

    /**
     * @param was the shard, as it ran, or another one of the node
     * @param had what was in it; its committer changes it no more once it has ended
     * @param why the shard is away, for people
     */
    public AwayShard(Shard was, Catalog had, String why) {
        this(was.policies(), was.traces(), was.duplicateIds(), had, null, why);
    }

    /** @param owners null = no other node ever owns one */
    private AwayShard(
            CurrentPolicies policies,
            MessageTraces traces,
            int duplicateIds,
            Catalog had,
            IntFunction<Owner> owners,
            String why) {
        this.number = had.shard();
        this.had = had;
        this.policies = policies;
        this.traces = traces;
        this.duplicateIds = duplicateIds;
        this.owners = owners;
        this.whileAway = refusal(number, why);
        this.nextId = ShardIds.first(number);
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
        AwayShard unseen = new AwayShard(neighbour, new Catalog(number), why);
        unseen.follow(directory);
        return unseen;
    }

    /**
     * Stands for a shard that other nodes may own. {@link #follow} must be called after each change of the directory.
     *
     * @param policies those of all shards, as the next two
     * @param names has none yet; its settings are those of the shard
     * @param owners says which other node owns a shard, as it is seen at each call; null = none
     * @param why the shard is away while no other node owns it, for people
     */
    public static AwayShard shared(
            CurrentPolicies policies,
            MessageTraces traces,
            int duplicateIds,
            Catalog names,
            IntFunction<Owner> owners,
            String why) {
        return new AwayShard(policies, traces, duplicateIds, names, owners, why);
    }

    /** Makes the names those that the directory has for the shard. */
    public void follow(Directory directory) {
        follow(directory, Set.of());
    }

    /** Does so for all names but some. */
    void follow(Directory directory, Set<String> but) {
        Set<String> all = new HashSet<>();
        had.entries().forEach(entry -> all.add(entry.address().name()));
        for (List<HomeRow> rows : directory.all()) {
            if (rows.get(0).scope() == HomeRow.Scope.ADDRESS) {
                all.add(rows.get(0).name());
            }
        }
        all.removeAll(but);
        all.forEach(name -> follow(directory, name));
    }

    /** Does the same for one name. */
    public synchronized void follow(Directory directory, String name) {
        AddressEntry known = had.byName(name);
        HomeRow row = directory.of(HomeRow.Scope.ADDRESS, name).stream()
                .filter(each -> each.shard() == number || each.next() == number)
                .findFirst()
                .orElse(null);
        if (known != null && (row == null || row.kind() != known.address().kind())) {
            had.remove(known);
            known = null;
        }
        if (known == null && row != null) {
            had.add(new Address(nextId++, name, row.kind(), new AddressQuota(UNKNOWN, UNKNOWN)));
        }
    }

    /** Says why a shard takes nothing now. @param why it is away, for people */
    public static Refusal refusal(int shard, String why) {
        return new Refusal(
                Refusal.Reason.UNAVAILABLE,
                AWAY,
                "shard " + shard + " of this node is away: try again, it comes back by itself unless GET /readyz says"
                        + " otherwise; " + why);
    }

    /** Says that another node serves a shard. */
    private static Refusal refusal(int shard, Owner owner) {
        return new Refusal(
                Refusal.Reason.UNAVAILABLE,
                ELSEWHERE,
                "shard " + shard + " is served by " + owner + ", and not by this node: connect there");
    }

    /** Tells whether other nodes may own any of the shards. */
    static boolean isAnyShared(List<? extends Shard> shards) {
        return shards.stream().anyMatch(shard -> shard instanceof AwayShard away && away.isShared());
    }

    /** Tells whether another node may own that shard, and this one does not. */
    static boolean isShared(List<? extends Shard> shards, int number) {
        AwayShard away = of(shards, number);
        return away != null && away.isShared();
    }

    /** Tells whether another node may own the shard, and change what is in it. */
    boolean isShared() {
        return owners != null;
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
        Owner owner = elsewhere();
        if (owner != null) {
            return new CreationElsewhere(
                    new Refusal(
                            Refusal.Reason.UNAVAILABLE,
                            CreationElsewhere.CODE,
                            what + " belongs in shard " + number + ", which is served by " + owner
                                    + ", and not by this node: connect there"),
                    this);
        }
        return new Refusal.Refused(new Refusal(
                Refusal.Reason.UNAVAILABLE,
                CreationElsewhere.WHILE_AWAY,
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
    public Owner elsewhere() {
        return owners == null ? null : owners.apply(number);
    }

    @Override
    public Refusal refusal() {
        Owner owner = elsewhere();
        return owner == null ? whileAway : refusal(number, owner);
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
                done.accept(refusal());
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

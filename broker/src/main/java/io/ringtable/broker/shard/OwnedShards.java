package io.ringtable.broker.shard;

import io.ringtable.broker.catalog.Catalog;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.dispatch.policy.CurrentPolicies;
import io.ringtable.broker.home.AwayShard;
import io.ringtable.broker.home.Homes;
import io.ringtable.broker.home.directory.Directory;
import io.ringtable.broker.home.move.MoveKeeper;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ownership.Lease;
import io.ringtable.broker.ownership.ShardStopped;
import io.ringtable.broker.status.BrokerState;
import io.ringtable.broker.status.BrokerStatus;
import io.ringtable.broker.status.ShardStatus;
import io.ringtable.broker.store.directory.DirectoryStore;
import io.ringtable.broker.trace.MessageTraces;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.RandomAccess;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Holds the shards that this node has taken, by number. At first all run whose database is there. Then each may leave
 * and come back by itself, while an {@link AwayShard} stands in its place. So does one for each shard that another node
 * of the cluster has.
 * <p>Longer than others, because it is all that happens to the shards of a node, in one place.
 * <p>
 * Thread: housekeeper starts and closes them, the keeper of a shard has it leave and come back; any asks.
 */
public final class OwnedShards implements AutoCloseable {
    /** Each is a {@link RunningShard} or an {@link AwayShard}. Written under the lock. */
    private final AtomicReferenceArray<Shard> shards;

    private final Directory directory;
    private final CurrentPolicies policies;
    private final Shard doors;
    private final Runnable agree; // makes the directory say what the shards have
    private final Consumer<String> onQueue; // tells those who read a queue that it may have another part
    private final IntConsumer onAway; // tells those who read queues that a shard is away
    private final IntConsumer onBack; // the same when it is there again
    private final Supplier<CompletionStage<Void>> completeParts;
    private final Runnable settle; // ends what a shard left half done when it died
    private final Consumer<RunningShard> onRecovered;
    private final Supplier<MoveKeeper> keepMoves; // starts what moves queues on; returns null with one shard
    private MoveKeeper mover; // written by the starter before anybody else has this; null with one shard
    private final OtherNodes others; // null = this node has all shards
    private final MessageTraces traces; // as the next: for shards that other nodes have
    private final int duplicateIds;
    private final Taken agreeTaken;
    private final Runnable followDirectory; // makes the parts that other nodes have placed here meanwhile
    private final Runnable lookAtGoing; // goes on with what is being deleted at several nodes
    private boolean closed; // under the lock

    /** Makes the directory say what a shard has that another node may have owned until now. */
    @FunctionalInterface
    private interface Taken {
        CompletionStage<Void> agree(Shard shard, int number);
    }

    /** Reads one shard from its tables. */
    @FunctionalInterface
    public interface Recoverer {
        /**
         * @param policies of all shards
         * @return null for a shard that is away, which is never the first
         */
        RunningShard recover(int number, CurrentPolicies policies);
    }

    /** @param directory null if there is one shard, which then has every name */
    private OwnedShards(
            Shard[] all,
            Directory directory,
            CurrentPolicies policies,
            Consumer<RunningShard> onRecovered,
            OtherNodes others,
            MessageTraces traces,
            int duplicateIds) {
        this.others = others;
        this.traces = traces;
        this.duplicateIds = duplicateIds;
        this.directory = directory;
        this.shards = new AtomicReferenceArray<>(all);
        this.policies = policies;
        this.onRecovered = onRecovered;
        if (directory == null) {
            this.doors = all[0];
            this.agree = () -> {};
            this.onQueue = any -> {};
            this.onAway = any -> {};
            this.onBack = any -> {};
            this.completeParts = () -> CompletableFuture.completedFuture(null);
            this.settle = () -> {};
            this.keepMoves = () -> null;
            this.agreeTaken = (shard, number) -> CompletableFuture.completedFuture(null);
            this.followDirectory = () -> {};
            this.lookAtGoing = () -> {};
        } else {
            Homes homes = new Homes(new ByNumber(), directory, others == null ? null : others.lease(), this::count);
            this.doors = homes;
            this.agree = homes::agree;
            this.onQueue = homes::partMade;
            this.onAway = homes::away;
            this.onBack = homes::back;
            this.completeParts = homes::completeParts;
            this.settle = homes::settle;
            this.keepMoves = homes::keepMoves;
            this.agreeTaken = homes::agree;
            this.followDirectory = others == null ? () -> {} : () -> homes.follow(null);
            this.lookAtGoing = homes::lookAtGoing;
            if (others != null) {
                directory.listen(homes::follow);
            }
        }
    }

    /** Shows the shards as they are at each look. */
    private final class ByNumber extends AbstractList<Shard> implements RandomAccess {
        @Override
        public Shard get(int number) {
            return shards.get(number);
        }

        @Override
        public int size() {
            return shards.length();
        }
    }

    /**
     * Starts that many shards, save those that are away, or none if one of them fails. A node of a cluster may begin
     * without any.
     *
     * @param store finds the directory; asked if there are several shards
     * @param configured rules for messages; those that administrators set come from the first shard
     * @param whyAway says why a shard is away that was not recovered, for people
     * @param onRecovered hears of each shard that is recovered, now and later, before anybody uses it
     * @param others own the shards that this node has not taken; null if it has all that there are
     * @param traces hears of what is done for sampled messages
     * @param duplicateIds how many each address remembers
     */
    public static OwnedShards start(
            int count,
            Supplier<DirectoryStore> store,
            AddressPolicies configured,
            Recoverer recoverer,
            IntFunction<String> whyAway,
            Consumer<RunningShard> onRecovered,
            OtherNodes others,
            MessageTraces traces,
            int duplicateIds) {
        CurrentPolicies policies = new CurrentPolicies(configured);
        if (others != null) {
            others.follow(policies); // before a shard is read
        }
        Directory directory = null;
        List<RunningShard> recovered = new ArrayList<>(count);
        try {
            for (int number = 0; number < count; number++) {
                RunningShard shard = recoverer.recover(number, policies);
                if (shard != null) {
                    recovered.add(shard);
                }
            }
            directory = count == 1 ? null : Directory.start(store.get(), count);
            if (recovered.isEmpty() && others == null) {
                throw new ShardStopped(ShardStopped.Next.STAND_BY, "no shard could be read: " + whyAway.apply(0), null);
            }
            Shard[] byNumber = new Shard[count];
            recovered.forEach(shard -> byNumber[shard.number()] = shard);
            OwnedShards all = new OwnedShards(byNumber, directory, policies, onRecovered, others, traces, duplicateIds);
            all.fill(whyAway);
            IntStream.range(0, count)
                    .filter(number -> all.running(number) == null)
                    .forEach(all.onAway);
            all.agree.run();
            recovered.forEach(onRecovered);
            DeclaredAddresses.check(all.doors.lookup(), policies.now().declared());
            recovered.forEach(shard -> shard.begin(all.doors, all.onQueue));
            all.completeParts.get().toCompletableFuture().join(); // the committers answer, whatever happens
            recovered.forEach(RunningShard::work);
            all.followDirectory.run();
            all.declare();
            all.mover = all.keepMoves.get();
            return all;
        } catch (Throwable failure) {
            if (directory != null) {
                directory.close();
            }
            recovered.forEach(RunningShard::giveUp);
            throw failure;
        }
    }

    /** Lets something stand for each shard that was not recovered. */
    private void fill(IntFunction<String> whyAway) {
        for (int number = 0; number < shards.length(); number++) {
            if (shards.get(number) == null) {
                String why = whyAway.apply(number);
                shards.set(
                        number,
                        others == null
                                ? AwayShard.unseen(running().get(0), number, directory, why)
                                : shared(number, why));
            }
        }
    }

    private AwayShard shared(int number, String why) {
        Catalog names = number == 0 ? new Catalog(0, others.settings()) : new Catalog(number);
        AwayShard shared = AwayShard.shared(policies, traces, duplicateIds, names, others::ownerOf, why);
        shared.follow(directory);
        return shared;
    }

    /** Makes the addresses that the configuration declares. A node without any shard leaves that to others. */
    private void declare() {
        if (!running().isEmpty()) {
            policies.now().declared().forEach((name, kind) -> {
                if (doors.lookup().find(name) == null) { // also of a shard that is away
                    DeclaredAddresses.declare(doors.catalog(), name, kind);
                }
            });
        }
    }

    // ---- one by one

    /** Returns the policies of all shards, which are the same objects however often a shard starts anew. */
    public CurrentPolicies policies() {
        return policies;
    }

    /**
     * Has a shard leave: from now on its doors refuse, and its names stay known. The caller closes the shard.
     *
     * @param why for people
     * @return false if no other runs, and this node carries its clients to no other one; then the shard stays until
     *     {@link #close}
     */
    public synchronized boolean leave(int number, String why) {
        RunningShard leaving = running(number);
        if (closed || others == null && running().size() == 1) {
            return false;
        }
        if (others == null) {
            shards.set(number, new AwayShard(leaving, leaving.entries(), why));
        } else {
            AwayShard shared = shared(number, why);
            shards.set(number, shared);
            shared.follow(directory); // a change of meanwhile told the others only
            if (number == 0) {
                others.firstIsOthers(leaving.entries().settings());
            }
        }
        onAway.accept(number);
        return true;
    }

    /**
     * Lets a shard that is away come, recovered from its tables, and starts its agents.
     *
     * @return false if the shards are closed: then the shard is closed as well
     */
    public boolean put(RunningShard back) {
        if (others != null) {
            agree(back);
        }
        Shard away;
        synchronized (this) {
            if (closed) {
                back.giveUp();
                return false;
            }
            away = shards.getAndSet(back.number(), back);
        }
        try {
            onRecovered.accept(back);
            back.begin(doors, onQueue);
            settle.run();
            back.work();
            onBack.accept(back.number());
            followDirectory.run();
            if (others != null) {
                declare(); // a node that began without a shard has not
            }
            return true;
        } catch (Throwable failure) {
            synchronized (this) {
                shards.set(back.number(), away);
            }
            back.giveUp();
            throw failure;
        }
    }

    /** Compares the names of a shard that another node may have owned, before anybody here may make others. */
    private void agree(RunningShard taken) {
        try {
            agreeTaken.agree(taken, taken.number()).toCompletableFuture().join();
        } catch (CompletionException failure) {
            taken.giveUp();
            throw failure.getCause() instanceof RuntimeException cause ? cause : failure;
        }
    }

    /**
     * Reads what other nodes have changed in the directory, and goes on with what is to be done here since.
     *
     * @return fails if the directory does not answer
     */
    public CompletionStage<Void> refresh() {
        return directory.refresh().thenRun(lookAtGoing);
    }

    // ---- for any thread

    /** Returns the ways into all of them. */
    public Shard doors() {
        return doors;
    }

    /** Returns how many shards the broker has, whether they run here or not; those that have not begun do not count. */
    public int count() {
        return others == null ? shards.length() : others.begun();
    }

    /** Returns the shards that run, by number. */
    public List<RunningShard> running() {
        List<RunningShard> running = new ArrayList<>(shards.length());
        for (int number = 0; number < shards.length(); number++) {
            if (shards.get(number) instanceof RunningShard runs) {
                running.add(runs);
            }
        }
        return running;
    }

    /** Returns the shard of that number; null while it is away. */
    public RunningShard running(int number) {
        return shards.get(number) instanceof RunningShard runs ? runs : null;
    }

    /** Returns why that shard takes nothing now. */
    public Refusal away(int number) {
        return shards.get(number) instanceof AwayShard away
                ? away.refusal()
                : AwayShard.refusal(number, "it has just come back");
    }

    /** Returns what is in each shard, and what was in one that is away. */
    public List<Catalog> catalogs() {
        List<Catalog> all = new ArrayList<>(shards.length());
        for (int number = 0; number < shards.length(); number++) {
            Shard shard = shards.get(number);
            all.add(shard instanceof AwayShard away ? away.had() : ((RunningShard) shard).entries());
        }
        return all;
    }

    /** Returns a lease that runs as long as that of any shard. */
    public Lease lease() {
        return doors.lease();
    }

    /** Returns the number of the shard whose lease ends first; -1 if none runs. */
    public int firstOver() {
        return running().stream()
                .min(Comparator.comparingLong(shard -> shard.lease().leftNanos()))
                .map(RunningShard::number)
                .orElse(-1);
    }

    /**
     * Says for people and metrics how each shard stands. A shard whose lease is over serves nobody, even before its
     * keeper has noticed.
     *
     * @param known what the keepers do with each, by number
     */
    public List<ShardStatus> status(List<ShardStatus> known) {
        List<ShardStatus> all = new ArrayList<>(known);
        for (RunningShard shard : running()) {
            ShardStatus of = known.get(shard.number());
            BrokerState.Phase phase = of.isActive() && shard.lease().isOver() ? BrokerState.Phase.STANDBY : of.phase();
            String text = phase == of.phase() ? of.text() : "the lease is over";
            all.set(shard.number(), new ShardStatus(shard.number(), phase, text, shard.status()));
        }
        return all;
    }

    /** Counts what each running shard has done, for rates between two looks. */
    public List<BrokerStatus.Traffic> traffic() {
        return running().stream().map(RunningShard::traffic).toList();
    }

    /** Returns why shards collect nothing from their inboxes now; null while all that run collect. */
    public String inboxTrouble() {
        List<String> all = new ArrayList<>();
        for (RunningShard shard : running()) {
            String trouble = shard.inboxTrouble();
            if (trouble != null) {
                all.add(shards.length() == 1 ? trouble : "shard " + shard.number() + ": " + trouble);
            }
        }
        return all.isEmpty() ? null : String.join("; ", all);
    }

    /** Closes the shards that run; none comes back. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        if (mover != null) {
            mover.close();
        }
        if (directory != null) {
            directory.close();
        }
        running().forEach(RunningShard::close);
    }
}

package io.ringtable.broker;

import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.shard.OtherNodes;
import io.ringtable.broker.shard.OwnedShards;
import io.ringtable.broker.shard.RunningShard;
import io.ringtable.broker.status.BrokerState;
import io.ringtable.broker.status.BrokerState.Phase;
import io.ringtable.broker.status.ShardStatus;
import io.ringtable.broker.store.Ownership;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows what the node does, and what it does with each of its shards. A node takes its shards one after the other, and
 * serves once it has all. From then on each may be away by itself. With several shards the texts name the shard that
 * they speak of.
 * <p>
 * Thread: the housekeeper tells what it does, the keepers what each shard does; any reads.
 */
final class NodeState {
    private static final Logger LOG = LoggerFactory.getLogger(NodeState.class);
    /** Stands for no shard in particular. */
    static final int NO_SHARD = -1;

    private volatile BrokerState broker = new BrokerState(Phase.STARTING, "starting"); // written under the lock
    private final int count;
    private final OtherNodes others;
    private final List<ShardStatus> shards = new ArrayList<>(); // guarded by this, as is the next
    private int stopped; // the one that ended the last time of serving; NO_SHARD = none
    private long failures; // of all shards since the broker was made

    /**
     * @param count how many shards the node has
     * @param others own the shards that this node has not taken; null if it has all
     */
    NodeState(int count, OtherNodes others) {
        this.count = count;
        this.others = others;
        begin();
    }

    // ---- the broker

    /** Returns what the housekeeper has entered last. */
    BrokerState entered() {
        return broker;
    }

    /**
     * Returns what the broker does. A broker whose leases are over stands by, even before the housekeeper has noticed.
     * The text of an active one names the shards that are away.
     */
    BrokerState now(OwnedShards owned) {
        BrokerState known = broker;
        if (!known.isActive() || owned == null) {
            return known;
        }
        if (owned.lease().isOver()) {
            return new BrokerState(
                    Phase.STANDBY, "standing by: " + leaseOf(owned.firstOver()) + " is over", known.failures());
        }
        String away = away(shards(owned));
        return away.isEmpty() ? known : new BrokerState(known.phase(), known.text() + away, known.failures());
    }

    private static String away(List<ShardStatus> all) {
        StringBuilder away = new StringBuilder();
        for (ShardStatus shard : all) {
            if (shard.isElsewhere()) {
                away.append("; shard ").append(shard.number()).append(" is at ").append(shard.owner());
            } else if (!shard.hasBegun()) {
                return away.append("; shards from ")
                        .append(shard.number())
                        .append(" on have not begun: ")
                        .append(shard.text())
                        .toString();
            } else if (!shard.isActive()) {
                away.append("; shard ")
                        .append(shard.number())
                        .append(" is away, ")
                        .append(shard.phase())
                        .append(": ")
                        .append(shard.text());
            }
        }
        return away.toString();
    }

    /** Enters that clients are served. @param running the shards of this node */
    void serves(String where, List<RunningShard> running) {
        String what = count == 1 ? "epoch " + running.get(0).epoch() : count + " shards";
        enter(Phase.ACTIVE, "serving AMQP on " + where + ", " + what);
    }

    synchronized void enter(Phase phase, String text) {
        enter(new BrokerState(phase, text, broker.failures()));
    }

    private synchronized void enter(BrokerState next) {
        BrokerState before = broker;
        broker = next;
        if (next.phase() != Phase.ACTIVE && next.phase() != Phase.STANDBY) { // in these two each shard has its own
            follow();
        }
        if (before.phase() != next.phase()) {
            LOG.info("{}: {}", next.phase(), next.text());
        }
    }

    // ---- failures

    /** Counts a failure of one shard, while others are served. @param nextTry as in {@link BrokerState.Failures} */
    synchronized void failed(Restarts restarts, String what, Instant nextTry) {
        failed(restarts, what, nextTry, broker.phase(), broker.text());
    }

    /** Counts a failure, and enters what the broker does then. @param nextTry as in {@link BrokerState.Failures} */
    synchronized void failed(Restarts restarts, String what, Instant nextTry, Phase phase, String text) {
        failures++;
        enter(new BrokerState(
                phase,
                text,
                new BrokerState.Failures(restarts.failures(), restarts.triesMax(), failures, what, nextTry)));
    }

    /** Hears that the next start after a failure begins. */
    synchronized void tries() {
        BrokerState.Failures known = broker.failures();
        enter(new BrokerState(
                broker.phase(),
                broker.text(),
                new BrokerState.Failures(known.inARow(), known.triesMax(), known.total(), known.last(), null)));
    }

    // ---- its shards

    /** Returns what the node does with each shard, by number, with the figures of those that run. */
    List<ShardStatus> shards(OwnedShards owned) {
        List<ShardStatus> known;
        synchronized (this) {
            known = List.copyOf(shards);
        }
        if (others != null) {
            int begun = others.begun();
            String why = begun < count ? others.whyNotBegun() : null;
            known = known.stream()
                    .map(shard -> shard.number() < begun ? withOwner(shard) : shard.notBegun(why))
                    .toList();
        }
        return owned == null ? known : owned.status(known);
    }

    /** Says who else has a shard that this node neither serves nor is about to serve. */
    private ShardStatus withOwner(ShardStatus shard) {
        Home.Owner owner = shard.isActive() ? null : others.ownerOf(shard.number());
        boolean waits = shard.phase() == Phase.STANDBY;
        return owner == null
                ? waits ? shard.ownedBy(null) : shard
                : shard.ownedBy(new ShardStatus.Owner(owner.description(), owner.url()));
    }

    /** Returns why a shard is in its state, for people. */
    synchronized String textOf(int number) {
        return shards.get(number).text();
    }

    synchronized boolean hasFailed(int number) {
        return shards.get(number).phase() == Phase.FAILED;
    }

    /** Begins anew: no shard is taken. */
    synchronized void begin() {
        stopped = NO_SHARD;
        shards.clear();
        for (int number = 0; number < count; number++) {
            shards.add(new ShardStatus(number, Phase.STARTING, "not taken yet", null));
        }
    }

    /** Enters that another node owns the shard. @return the same in a sentence */
    String waits(int number, Ownership.HeldBy held) {
        return waits(
                number,
                "node " + held.node() + " owns " + (count == 1 ? "the shard" : "shard " + number) + ", epoch "
                        + held.epoch() + ", its lease ends in " + held.leaseLeftMs() + " ms unless it is renewed");
    }

    /** Enters that the shard cannot be taken now. */
    synchronized String waits(int number, String why) {
        enter(number, Phase.STANDBY, why);
        return why;
    }

    /** Enters that the node owns the shard. */
    synchronized void taken(int number, long epoch) {
        enter(number, Phase.STARTING, "taken, epoch " + epoch + ": serves once all shards are taken and read");
    }

    /** Enters that the node serves the shard. */
    synchronized void serves(int number, long epoch) {
        enter(number, Phase.ACTIVE, "serving, epoch " + epoch);
    }

    /** Enters that the shard is not served, though others are. */
    synchronized void away(int number, Phase phase, String why) {
        enter(number, phase, why);
    }

    /** Hears that the node stops with a shard. @param number or {@link #NO_SHARD} */
    synchronized void stops(int number) {
        if (stopped == NO_SHARD) {
            stopped = number;
        }
    }

    /**
     * Enters that the node serves no shard any more.
     *
     * @param end says which shard is the cause
     */
    void ends(ServingPeriod.End end) {
        stops(end.shard());
        enter(
                end.standsBy() ? Phase.STANDBY : Phase.RESTARTING,
                end.failure() == null
                        ? "standing by: " + leaseOf(end.shard()) + " was not renewed"
                        : ofStopped(end.failure().getMessage()));
        follow();
    }

    /** Lets each shard do what the broker does; the text of the broker is the reason of the one that stopped. */
    private synchronized void follow() {
        shards.replaceAll(shard -> new ShardStatus(
                shard.number(),
                broker.phase(),
                stopped == NO_SHARD || shard.number() == stopped ? broker.text() : "ended with shard " + stopped,
                null));
    }

    /** Returns the shard that the node stopped with; {@link #NO_SHARD} if there is none. */
    synchronized int stopped() {
        return stopped;
    }

    /** Names the shard that stopped before a text, if there are several. */
    synchronized String ofStopped(String text) {
        return of(stopped, text);
    }

    /** Names the shard before a text, if there are several. */
    String of(int number, String text) {
        return count == 1 || number == NO_SHARD ? text : "shard " + number + ": " + text;
    }

    String leaseOf(int number) {
        return count == 1 || number == NO_SHARD ? "the lease" : "the lease of shard " + number;
    }

    private void enter(int number, Phase phase, String text) {
        shards.set(number, new ShardStatus(number, phase, text, null));
    }
}

package io.ringtable.broker;

import io.ringtable.broker.ownership.ShardStopped;
import io.ringtable.broker.shard.RunningShards;
import io.ringtable.broker.status.BrokerState;
import io.ringtable.broker.status.BrokerState.Phase;
import io.ringtable.broker.status.ShardStatus;
import io.ringtable.broker.store.Ownership;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows what the node does, and what it does with each of its shards. A node takes its shards one after the other, and
 * serves all or none. When one stops, the node starts all anew. With several shards the texts name the shard that they
 * speak of.
 * <p>
 * Thread: the housekeeper tells what it does, keepers and agents tell which shard stops; any reads.
 */
final class NodeState {
    private static final Logger LOG = LoggerFactory.getLogger(NodeState.class);
    /** Stands for no shard in particular. */
    static final int NO_SHARD = -1;

    private volatile BrokerState broker = new BrokerState(Phase.STARTING, "starting"); // written by housekeeper
    private final int count;
    private final List<ShardStatus> shards = new ArrayList<>(); // guarded by this, as is the next
    private int stopped; // the first one since shards were last taken; NO_SHARD = none

    /** @param count how many shards the node has */
    NodeState(int count) {
        this.count = count;
        begin();
    }

    // ---- the broker

    /** Returns what the housekeeper has entered last. */
    BrokerState entered() {
        return broker;
    }

    /**
     * Returns what the broker does. A broker whose lease is over stands by, even before the housekeeper has noticed.
     */
    BrokerState now(RunningShards running) {
        BrokerState known = broker;
        return known.isActive() && running != null && running.lease().isOver()
                ? new BrokerState(
                        Phase.STANDBY, "standing by: " + leaseOf(running.firstOver()) + " is over", known.failures())
                : known;
    }

    void enter(Phase phase, String text) {
        enter(new BrokerState(phase, text, broker.failures()));
    }

    void enter(BrokerState next) {
        BrokerState before = broker;
        broker = next;
        if (next.phase() != Phase.ACTIVE && next.phase() != Phase.STANDBY) { // in these two each shard has its own
            follow();
        }
        if (before.phase() != next.phase()) {
            LOG.info("{}: {}", next.phase(), next.text());
        }
    }

    // ---- its shards

    /** Returns what the node does with each shard, by number, with the figures of those that run. */
    List<ShardStatus> shards(RunningShards running) {
        List<ShardStatus> known;
        synchronized (this) {
            known = List.copyOf(shards);
        }
        return running == null ? known : running.status(known);
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

    /** Hears that a shard stops, and takes the others with it. Thread: any. @param number or {@link #NO_SHARD} */
    synchronized void stops(int number) {
        if (stopped == NO_SHARD) {
            stopped = number;
        }
    }

    /**
     * Enters that the node serves no shard any more.
     *
     * @param firstOver shard whose lease ends first
     * @param reason of the shard that stopped; null if none did, and a lease was not renewed
     */
    void ends(int firstOver, ShardStopped reason) {
        if (reason == null) {
            stops(firstOver);
        }
        enter(
                reason == null || reason.next() == ShardStopped.Next.STAND_BY ? Phase.STANDBY : Phase.RESTARTING,
                reason == null
                        ? "standing by: " + leaseOf(firstOver) + " was not renewed"
                        : ofStopped(reason.getMessage()));
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

    /** Names the shard that stopped before a text, if there are several. */
    synchronized String ofStopped(String text) {
        return of(stopped, text);
    }

    /** Names the shard before a text, if there are several. */
    String of(int number, String text) {
        return count == 1 || number == NO_SHARD ? text : "shard " + number + ": " + text;
    }

    String leaseOf(int number) {
        return count == 1 ? "the lease" : "the lease of shard " + number;
    }

    private void enter(int number, Phase phase, String text) {
        shards.set(number, new ShardStatus(number, phase, text, null));
    }
}

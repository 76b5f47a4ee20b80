package io.ringtable.broker.shard;

import io.ringtable.broker.agent.Agent;
import io.ringtable.broker.agent.AgentRunner;
import io.ringtable.broker.agent.Doorbell;
import io.ringtable.broker.agent.LongestTurn;
import io.ringtable.broker.agent.RetriedAgent;
import io.ringtable.broker.inbox.InboxCarrier;
import io.ringtable.broker.inbox.InboxCollector;
import io.ringtable.broker.inbox.InboxCrossing;
import io.ringtable.broker.inbox.SharedLooks;
import io.ringtable.broker.store.RingStore;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Runs the agents that bring what applications publish and settle into one shard: its collector, and a carrier for each
 * other database. So a database that does not answer holds up its own messages alone.
 * <p>
 * Thread: the one that starts the shard starts and ends it; any may ask for a look.
 */
final class ShardInbox implements AutoCloseable {
    private static final long CARRIER_MS = 200;

    private final int number;
    private final InboxCollector collector;
    private final SharedLooks looks;
    private final List<InboxCarrier> carriers = new ArrayList<>(); // none where there is one database
    private final List<RetriedAgent> agents = new ArrayList<>();
    private final AgentRunner collects; // null if the inbox is not collected
    private final List<AgentRunner> carry = new ArrayList<>();

    /**
     * @param isCollected false where no application has an inbox, or if it is switched off
     * @param collectorBell of the collector
     * @param looks of the collectors of this process in the shard's database
     * @param crossings the ways to other databases
     * @param onFailed hears of an agent that ended
     */
    ShardInbox(
            int number,
            boolean isCollected,
            InboxCollector collector,
            Doorbell collectorBell,
            SharedLooks looks,
            List<InboxCrossing> crossings,
            RingStore store,
            LongSupplier epoch,
            Consumer<Throwable> onFailed) {
        this.number = number;
        this.collector = collector;
        this.looks = looks;
        this.collects = isCollected ? runner(number, collector, collectorBell, onFailed) : null;
        for (InboxCrossing crossing : isCollected ? crossings : List.<InboxCrossing>of()) {
            Doorbell bell = new Doorbell();
            InboxCarrier carrier = new InboxCarrier(crossing, store, epoch, collector::lookNow, bell, System::nanoTime);
            carriers.add(carrier);
            carry.add(runner(number, carrier, bell, onFailed));
        }
    }

    private AgentRunner runner(int number, Agent agent, Doorbell bell, Consumer<Throwable> onFailed) {
        RetriedAgent retried = new RetriedAgent(agent, System::nanoTime);
        agents.add(retried);
        return new AgentRunner(retried, number, bell, new LongestTurn(), onFailed);
    }

    void start() {
        if (collects != null) {
            looks.join(number, collector);
            collects.start();
        }
        carry.forEach(AgentRunner::start);
    }

    /** Has the inbox looked into at once, and the inboxes of other databases. Thread: any. */
    void lookNow() {
        collector.lookNow();
        carriers.forEach(InboxCarrier::lookNow);
    }

    /** Returns why nothing is collected or carried now; null while all go on. Thread: any. */
    String trouble() {
        for (RetriedAgent agent : agents) {
            String trouble = agent.trouble();
            if (trouble != null) {
                return trouble;
            }
        }
        return null;
    }

    /** Ends the hand-off of rows. */
    void stop() {
        collector.stop();
        carriers.forEach(InboxCarrier::stop);
    }

    /**
     * Ends the agents. The collector may wait for a store that is away. A carrier that waits for another database ends
     * by itself later, as the shard must not wait for that one. The store refuses what it still takes over (ADR 63).
     */
    @Override
    public void close() {
        if (collects != null) {
            looks.leave(number, collector);
            collects.close();
        }
        carry.forEach(carries -> carries.close(CARRIER_MS));
    }
}

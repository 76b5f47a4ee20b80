package io.ringtable.broker.shard;

import io.ringtable.broker.agent.AgentRunner;
import io.ringtable.broker.agent.Doorbell;
import io.ringtable.broker.agent.LongestTurn;
import io.ringtable.broker.agent.RetriedAgent;
import io.ringtable.broker.inbox.InboxCarrier;
import io.ringtable.broker.inbox.InboxCollector;
import io.ringtable.broker.inbox.InboxCrossing;
import io.ringtable.broker.store.RingStore;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Runs the agents that bring what applications publish and settle into one shard: its collector, and a carrier where
 * there are other databases.
 * <p>
 * Thread: the one that starts the shard starts and ends it; any may ask for a look.
 */
final class ShardInbox implements AutoCloseable {
    private final InboxCollector collector;
    private final InboxCarrier carrier; // null where there is one database
    private final RetriedAgent collecting;
    private final RetriedAgent carrying; // null as well
    private final List<AgentRunner> runners;

    /**
     * @param isCollected false where no application has an inbox, or if it is switched off
     * @param collectorBell of the collector
     * @param crossings the ways to other databases
     * @param onFailed hears of an agent that ended
     */
    ShardInbox(
            int number,
            boolean isCollected,
            InboxCollector collector,
            Doorbell collectorBell,
            List<InboxCrossing> crossings,
            RingStore store,
            LongSupplier epoch,
            Consumer<Throwable> onFailed) {
        this.collector = collector;
        this.collecting = new RetriedAgent(collector, System::nanoTime);
        Doorbell carrierBell = new Doorbell();
        boolean isCarried = isCollected && !crossings.isEmpty();
        this.carrier = isCarried
                ? new InboxCarrier(crossings, store, epoch, collector::lookNow, carrierBell, System::nanoTime)
                : null;
        this.carrying = isCarried ? new RetriedAgent(carrier, System::nanoTime) : null;
        AgentRunner collects =
                isCollected ? new AgentRunner(collecting, number, collectorBell, new LongestTurn(), onFailed) : null;
        AgentRunner carries =
                isCarried ? new AgentRunner(carrying, number, carrierBell, new LongestTurn(), onFailed) : null;
        this.runners =
                Stream.of(collects, carries).filter(runner -> runner != null).toList();
    }

    void start() {
        runners.forEach(AgentRunner::start);
    }

    /** Has the inbox looked into at once, and the inboxes of other databases. Thread: any. */
    void lookNow() {
        collector.lookNow();
        if (carrier != null) {
            carrier.lookNow();
        }
    }

    /** Returns why nothing is collected or carried now; null while both go on. Thread: any. */
    String trouble() {
        String trouble = collecting.trouble();
        return trouble == null && carrying != null ? carrying.trouble() : trouble;
    }

    /** Ends the hand-off of rows. */
    void stop() {
        collector.stop();
        if (carrier != null) {
            carrier.stop();
        }
    }

    /** Ends the agents. They may wait for a store that is away. */
    @Override
    public void close() {
        runners.forEach(AgentRunner::close);
    }
}

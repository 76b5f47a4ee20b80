package io.ringtable.broker.inbox;

import io.ringtable.broker.agent.Agent;
import io.ringtable.broker.agent.Doorbell;
import io.ringtable.broker.store.RingCrossings;
import io.ringtable.broker.store.StoreFailure;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries what applications have published in other databases into the inbox of the shard, where its collector finds it
 * (ADR 63). Looks when a collector of this node says that it has passed something on, and at intervals.
 * <p>
 * Thread: {@code inbox-carrier}; it waits for the databases, nobody waits for it. Failure: while one database is away
 * its messages stay in it, and the carrier asks again. After any other exception the next turn goes on ({@link
 * io.ringtable.broker.agent.RetriedAgent}).
 */
public final class InboxCarrier implements Agent {
    private static final Logger LOG = LoggerFactory.getLogger(InboxCarrier.class);
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final List<InboxCrossing> crossings;
    private final RingCrossings store;
    private final LongSupplier epoch;
    private final Runnable onCarried;
    private final Doorbell doorbell;
    private final LongSupplier nanoTime;
    private boolean troubled; // the log has said so
    private long lookAt; // nanoTime of the next look
    private volatile boolean lookNow; // set by any, taken back by inbox-carrier
    private volatile boolean closing;

    /**
     * @param crossings one for each other database; the carrier closes them
     * @param store of the shard
     * @param epoch under which this node owns the shard now
     * @param onCarried has the shard's inbox looked into
     */
    public InboxCarrier(
            List<InboxCrossing> crossings,
            RingCrossings store,
            LongSupplier epoch,
            Runnable onCarried,
            Doorbell doorbell,
            LongSupplier nanoTime) {
        this.crossings = List.copyOf(crossings);
        this.store = store;
        this.epoch = epoch;
        this.onCarried = onCarried;
        this.doorbell = doorbell;
        this.nanoTime = nanoTime;
        this.lookAt = nanoTime.getAsLong();
    }

    @Override
    public String roleName() {
        return "inbox-carrier";
    }

    @Override
    public int doWork() {
        if (closing || !lookNow && nanoTime.getAsLong() - lookAt < 0) {
            return 0;
        }
        lookNow = false; // before the reads: what comes later has another look
        int carried = 0;
        boolean failed = false;
        for (InboxCrossing crossing : crossings) {
            try {
                carried += closing ? 0 : crossing.carry(store, epoch.getAsLong());
            } catch (StoreFailure failure) {
                failed = true;
                trouble(crossing, failure);
            }
        }
        troubled = failed;
        if (carried > 0) {
            onCarried.run();
        }
        lookAt = nanoTime.getAsLong() + (carried > 0 && !failed ? 0 : IDLE_NANOS);
        return carried;
    }

    @Override
    public long restNanos() {
        return closing ? Agent.super.restNanos() : Math.max(1, lookAt - nanoTime.getAsLong());
    }

    /** Has the other databases looked into at once. Thread: any. */
    public void lookNow() {
        lookNow = true;
        doorbell.ring();
    }

    /** Ends the taking over, after the portion that is under way. Thread: any. */
    public void stop() {
        closing = true;
    }

    @Override
    public void onClose() {
        crossings.forEach(InboxCrossing::close);
    }

    /** Logs one line until a look passes without a failure. */
    private void trouble(InboxCrossing crossing, StoreFailure failure) {
        if (!troubled) {
            troubled = true;
            LOG.warn(
                    "RT-4546 messages in the inbox of store '{}' stay there for now, and the broker tries again: {}",
                    crossing.name(),
                    failure.getMessage());
        }
    }
}

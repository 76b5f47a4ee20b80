package io.ringtable.broker.inbox;

import io.ringtable.broker.agent.Agent;
import io.ringtable.broker.agent.Doorbell;
import io.ringtable.broker.store.RingCrossings;
import io.ringtable.broker.store.StoreFailure;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries what applications have published in one other database into the inbox of the shard, where its collector finds
 * it (ADR 63). Looks when a collector of this node says that it has passed something on, and at intervals.
 * <p>
 * Thread: {@code inbox-carrier-from-N}, of its own, since it waits for that database (ADR 68); nobody waits for it.
 * Failure: while the database is away its messages stay in it, and the carrier asks again. After any other exception
 * the next turn goes on ({@link io.ringtable.broker.agent.RetriedAgent}).
 */
public final class InboxCarrier implements Agent {
    private static final Logger LOG = LoggerFactory.getLogger(InboxCarrier.class);
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final InboxCrossing crossing;
    private final RingCrossings store;
    private final LongSupplier epoch;
    private final Runnable onCarried;
    private final Doorbell doorbell;
    private final LongSupplier nanoTime;
    private final TroubleLog troubles = new TroubleLog(LOG);
    private long lookAt; // nanoTime of the next look
    private volatile boolean lookNow; // set by any, taken back by the carrier
    private volatile boolean closing;

    /**
     * @param crossing the way from the other database; the carrier closes it
     * @param store of the shard
     * @param epoch under which this node owns the shard now
     * @param onCarried has the shard's inbox looked into
     */
    public InboxCarrier(
            InboxCrossing crossing,
            RingCrossings store,
            LongSupplier epoch,
            Runnable onCarried,
            Doorbell doorbell,
            LongSupplier nanoTime) {
        this.crossing = crossing;
        this.store = store;
        this.epoch = epoch;
        this.onCarried = onCarried;
        this.doorbell = doorbell;
        this.nanoTime = nanoTime;
        this.lookAt = nanoTime.getAsLong();
    }

    /** {@inheritDoc} Names the other database by the lowest shard that lies in it. */
    @Override
    public String roleName() {
        return "inbox-carrier-from-" + crossing.origin();
    }

    @Override
    public int doWork() {
        if (closing || !lookNow && nanoTime.getAsLong() - lookAt < 0) {
            return 0;
        }
        lookNow = false; // before the read: what comes later has another look
        int carried = 0;
        try {
            carried = crossing.carry(store, epoch.getAsLong());
            troubles.over();
        } catch (StoreFailure failure) {
            troubles.tell("RT-4546 messages in the inbox of store '" + crossing.name()
                    + "' stay there for now, and the broker tries again: " + failure.getMessage());
        }
        if (carried > 0) {
            onCarried.run();
        }
        lookAt = nanoTime.getAsLong() + (carried > 0 ? 0 : IDLE_NANOS);
        return carried;
    }

    @Override
    public long restNanos() {
        return closing ? Agent.super.restNanos() : Math.max(1, lookAt - nanoTime.getAsLong());
    }

    /** Has the other database looked into at once. Thread: any. */
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
        crossing.close();
    }
}

package io.ringtable.broker.agent;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the turns of an agent whose failure is in nobody else's way, and goes on with them after a pause when one fails. The
 * pause doubles from {@value #PAUSE_MS} ms to {@value #PAUSE_MAX_MS} ms; failures are forgotten once none has come for a
 * minute. The agent keeps its state: wherever a turn throws, it must leave that state whole.
 * <p>
 * Thread: that of the agent; any asks for {@link #trouble}. Failure: whatever a turn throws, errors of the JVM included, is
 * said in the log and tried again, without end.
 */
public final class RetriedAgent implements Agent {
    static final long PAUSE_MS = 100;
    static final long PAUSE_MAX_MS = 30_000;

    private static final Logger LOG = LoggerFactory.getLogger(RetriedAgent.class);
    private static final long FORGET_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int DOUBLINGS_MAX = 20;

    private final Agent agent;
    private final LongSupplier nanoTime;
    private int failures; // since the last minute without any
    private long failedAt; // nanoTime
    private volatile String trouble; // written by the agent's thread, read by status

    public RetriedAgent(Agent agent, LongSupplier nanoTime) {
        this.agent = agent;
        this.nanoTime = nanoTime;
    }

    @Override
    public String roleName() {
        return agent.roleName();
    }

    @Override
    public int doWork() {
        if (failures == 0) {
            return turn();
        }
        if (pauseLeft() > 0) {
            return 0;
        }
        if (nanoTime.getAsLong() - failedAt > FORGET_NANOS) {
            failures = 0;
            trouble = null;
        }
        return turn();
    }

    private int turn() {
        try {
            return agent.doWork();
        } catch (Throwable failure) {
            failures++;
            failedAt = nanoTime.getAsLong();
            trouble = "RT-2310 " + roleName() + " has failed " + failures + " times in a row, it goes on in "
                    + pauseMs() + " ms: " + failure;
            LOG.error(trouble, failure);
            return 0;
        }
    }

    private long pauseMs() {
        return Math.min(PAUSE_MAX_MS, PAUSE_MS << Math.min(DOUBLINGS_MAX, failures - 1));
    }

    private long pauseLeft() {
        return failedAt + TimeUnit.MILLISECONDS.toNanos(pauseMs()) - nanoTime.getAsLong();
    }

    @Override
    public long restNanos() {
        return failures == 0 ? agent.restNanos() : Math.max(pauseLeft(), agent.restNanos());
    }

    @Override
    public void onClose() {
        agent.onClose();
    }

    /** Tells what fails, with how often and when it goes on; null while nothing does. Thread: any. */
    public String trouble() {
        return trouble;
    }
}

package io.ringtable.broker.agent;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the turns of an agent whose failure hinders nobody else, and goes on after a pause when a turn fails. The pause
 * doubles from {@value #PAUSE_MS} ms to {@value #PAUSE_MAX_MS} ms. One minute without a failure resets the count. The
 * agent keeps its state, so a turn that throws must leave that state whole.
 * <p>
 * Thread: that of the agent; any asks for {@link #trouble}. Failure: the log has every exception of a turn, errors of
 * the JVM included. The agent then tries again, without end.
 */
public final class RetriedAgent implements Agent {
    static final long PAUSE_MS = 100;
    static final long PAUSE_MAX_MS = 30_000;

    private static final Logger LOG = LoggerFactory.getLogger(RetriedAgent.class);
    private static final long FORGET_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int DOUBLINGS_MAX = 20;

    private final Agent agent;
    private final LongSupplier nanoTime;
    private int failures; // since the last minute without a failure
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
            trouble = "RT-2310 " + roleName() + " has failed " + failures + " times in a row, and tries again in "
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

    /** Returns what fails, how often, and when the agent tries again; null while nothing fails. Thread: any. */
    public String trouble() {
        return trouble;
    }
}

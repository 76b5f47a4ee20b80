package io.ringtable.broker.agent;

import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Runs an agent on a thread of its own until closed.
 * <p>
 * Failure: any exception of the agent, errors of the JVM included, ends it and goes to {@code onFailure}, on its
 * thread. The runner does not run it again. When {@code onFailure} fails as well, for want of memory, the runner
 * repeats the call: no agent ends without a word.
 */
public final class AgentRunner implements AutoCloseable {
    private static final long UNTOLD_NANOS = 100_000_000;
    private static final long JOIN_MS = 50;

    private final Agent agent;
    private final Doorbell doorbell;
    private final LongestTurn turns;
    private final Consumer<Throwable> onFailure;
    private final Thread thread;
    private volatile boolean closing;

    /**
     * Makes a runner.
     *
     * @param shard the number of the agent's shard, by which its thread is named
     * @param turns hears how long each turn that did something took
     */
    public AgentRunner(Agent agent, int shard, Doorbell doorbell, LongestTurn turns, Consumer<Throwable> onFailure) {
        this.agent = agent;
        this.doorbell = doorbell;
        this.turns = turns;
        this.onFailure = onFailure;
        this.thread = new Thread(this::run, ThreadNames.of(agent.roleName(), shard));
    }

    public AgentRunner start() {
        thread.start();
        return this;
    }

    private void run() {
        try {
            while (!closing) {
                if (takeTurn()) {
                    continue;
                }
                doorbell.announceRest();
                if (closing || takeTurn()) {
                    doorbell.stayAwake();
                    continue;
                }
                doorbell.rest(agent.restNanos());
            }
            agent.onClose();
        } catch (Throwable failure) {
            report(failure);
        }
    }

    private void report(Throwable failure) {
        while (true) {
            try {
                onFailure.accept(failure);
                return;
            } catch (Throwable untold) {
                if (closing) {
                    return; // the caller of close() knows
                }
                LockSupport.parkNanos(UNTOLD_NANOS);
            }
        }
    }

    private boolean takeTurn() {
        long begun = System.nanoTime();
        boolean worked = agent.doWork() > 0;
        if (worked) {
            turns.took(System.nanoTime() - begun);
        }
        return worked;
    }

    /** Ends the agent after its present turn and waits for that, except when the agent's own thread calls. */
    @Override
    public void close() {
        close(Long.MAX_VALUE);
    }

    /**
     * Ends the agent after its present turn, and waits for that no longer than so many ms. For an agent whose turn may
     * hang at what nobody here depends on: it ends later.
     */
    public void close(long patienceMs) {
        closing = true;
        doorbell.ring();
        if (Thread.currentThread() == thread) {
            return;
        }
        boolean interrupted = false;
        for (long waited = 0; thread.isAlive() && waited < patienceMs; waited += JOIN_MS) {
            try {
                doorbell.ring();
                thread.join(JOIN_MS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

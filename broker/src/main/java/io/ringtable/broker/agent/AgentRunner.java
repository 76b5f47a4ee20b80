package io.ringtable.broker.agent;

import java.util.function.Consumer;

/**
 * Runs an agent on a thread of its own until closed.
 * <p>
 * Failure: what the agent throws ends it and goes to {@code onFailure}, on its thread; it is not run again.
 */
public final class AgentRunner implements AutoCloseable {
    private final Agent agent;
    private final Doorbell doorbell;
    private final Consumer<Throwable> onFailure;
    private final Thread thread;
    private volatile boolean closing;

    public AgentRunner(Agent agent, Doorbell doorbell, Consumer<Throwable> onFailure) {
        this.agent = agent;
        this.doorbell = doorbell;
        this.onFailure = onFailure;
        this.thread = new Thread(this::run, agent.roleName());
    }

    public AgentRunner start() {
        thread.start();
        return this;
    }

    private void run() {
        try {
            while (!closing) {
                if (agent.doWork() > 0) {
                    continue;
                }
                doorbell.announceRest();
                if (closing || agent.doWork() > 0) {
                    doorbell.stayAwake();
                    continue;
                }
                doorbell.rest(agent.restNanos());
            }
            agent.onClose();
        } catch (Throwable failure) {
            onFailure.accept(failure);
        }
    }

    /** Ends the agent after its present turn and waits for it; called from its own thread, it does not wait. */
    @Override
    public void close() {
        closing = true;
        doorbell.ring();
        if (Thread.currentThread() == thread) {
            return;
        }
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                doorbell.ring();
                thread.join(50);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

package io.ringtable.broker.amqp.transport;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.ringtable.broker.message.Printable;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.engine.Connection;
import org.apache.qpid.protonj2.engine.Engine;
import org.apache.qpid.protonj2.engine.exceptions.EngineStateException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends empty frames to a peer that wants them, and ends a connection whose peer is silent (AMQP 1.0 section 2.4.5).
 * <p>
 * Thread: the connection's event loop.
 */
public final class Heartbeat {
    private static final Logger LOG = LoggerFactory.getLogger(Heartbeat.class);

    /** Sets how often per time-out the broker looks for a silent peer and a due frame. */
    private static final int TICKS_PER_TIMEOUT = 8;

    private static final int TICK_LEAST_MS = 25;

    private final Engine engine;
    private final Connection connection;
    private final EventLoop eventLoop;
    private final Runnable flush;
    private Future<?> ticks; // null while neither end has a time-out

    /** Makes a heartbeat that does not beat yet. @param flush writes protonj2's output */
    public Heartbeat(Engine engine, EventLoop eventLoop, Runnable flush) {
        this.engine = engine;
        this.connection = engine.connection();
        this.eventLoop = eventLoop;
        this.flush = flush;
    }

    /** Starts the heartbeat: both ends have told their time-outs. */
    public void begin() {
        long own = connection.getIdleTimeout();
        long remote = connection.getRemoteIdleTimeout();
        long shortest = Math.min(own > 0 ? own : Long.MAX_VALUE, remote > 0 ? remote : Long.MAX_VALUE);
        if (shortest == Long.MAX_VALUE) {
            return;
        }
        long every = Math.max(TICK_LEAST_MS, shortest / TICKS_PER_TIMEOUT);
        ticks = eventLoop.scheduleAtFixedRate(this::tick, every, every, TimeUnit.MILLISECONDS);
    }

    private void tick() {
        if (!engine.isRunning() || connection.isLocallyClosed()) {
            end();
            return;
        }
        try {
            engine.tick(TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
        } catch (EngineStateException e) {
            LOG.debug("{} is idle", Printable.value(connection.getRemoteContainerId()), e);
        }
        flush.run();
    }

    public void end() {
        if (ticks != null) {
            ticks.cancel(false);
        }
    }
}

package io.ringtable.broker.amqp.link;

import io.netty.channel.EventLoop;
import io.ringtable.broker.agent.LongestTurn;
import io.ringtable.broker.work.Mailbox;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How other threads reach a connection: what they put in gathers, one task takes all of it on the event loop, and what it
 * leads to is written together.
 * <p>
 * Thread: any puts in and wakes; the event loop takes out.
 */
public final class ConnectionMailbox implements Mailbox {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionMailbox.class);
    private static final int CHUNK = 256;

    /** Something for the event loop to do. */
    public interface Event {
        void onEventLoop();
    }

    private final EventLoop eventLoop;
    private final Consumer<Event> runner;
    private final Runnable endOfBatch;
    private final LongestTurn turns;
    private final MpscUnboundedAtomicArrayQueue<Event> events = new MpscUnboundedAtomicArrayQueue<>(CHUNK);
    private final AtomicBoolean awake = new AtomicBoolean(); // a task is on its way to take the events

    /**
     * @param runner runs one event on the event loop, whatever comes of it
     * @param endOfBatch called on the event loop after all that were there
     * @param turns hears how long each took
     */
    public ConnectionMailbox(EventLoop eventLoop, Consumer<Event> runner, Runnable endOfBatch, LongestTurn turns) {
        this.eventLoop = eventLoop;
        this.runner = runner;
        this.endOfBatch = endOfBatch;
        this.turns = turns;
    }

    public void post(Event event) {
        put(event);
        wake();
    }

    /** Puts it in without waking; the caller wakes once for many. */
    public void put(Event event) {
        events.offer(event);
    }

    public void later(Event event, long delayMs) {
        eventLoop.schedule(() -> post(event), delayMs, TimeUnit.MILLISECONDS);
    }

    /** Takes an event at once. Thread: the event loop. */
    public void run(Event event) {
        put(event);
        takeAll();
    }

    @Override
    public void wake() {
        if (!awake.get() && awake.compareAndSet(false, true)) {
            try {
                eventLoop.execute(this::takeAll);
            } catch (RejectedExecutionException e) {
                LOG.debug("the event loop has ended", e);
            }
        }
    }

    private void takeAll() {
        long begun = System.nanoTime();
        awake.set(false);
        for (Event event; (event = events.poll()) != null; ) {
            runner.accept(event);
        }
        endOfBatch.run();
        turns.took(System.nanoTime() - begun);
    }
}

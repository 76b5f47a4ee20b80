package io.ringtable.client.internal.connection;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.ringtable.client.Address;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives the publishers, subscriptions and requests of one client what they share: settings, I/O thread, counters, and
 * the connection of the moment.
 * <p>
 * Thread: any, unless a method says otherwise.
 */
public final class LinkHost {

    private static final Logger LOG = LoggerFactory.getLogger(LinkHost.class);

    private final ClientConfig config;
    private final MultiThreadIoEventLoopGroup group;
    private final EventLoop loop;
    private final Counters counters = new Counters();
    private final Backoff backoff;
    private final Reconnector reconnector;

    public LinkHost(ClientConfig given) {
        config = given.withContainerId();
        group = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory(config.name() + "-io", true), NioIoHandler.newFactory());
        loop = (EventLoop) group.next();
        backoff = new Backoff(config.reconnect());
        reconnector = new Reconnector(this);
    }

    public ClientConfig config() {
        return config;
    }

    public EventLoop loop() {
        return loop;
    }

    public Counters counters() {
        return counters;
    }

    public Reconnector reconnector() {
        return reconnector;
    }

    Backoff backoff() {
        return backoff;
    }

    /** Ends the event loop, which refuses what still comes. */
    void stopLoop() {
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    /** Runs code that touches the current connection's engine. Thread: the I/O thread. */
    public void guarded(Runnable code) {
        reconnector.guarded(code);
    }

    /** Forgets a link that has ended. Thread: the I/O thread. */
    public void remove(ClientLink link) {
        reconnector.remove(link);
    }

    /** Counts lost settlements and tells the listener. Thread: the I/O thread. */
    public void settlementsLost(Address address, int count) {
        counters.settlementsLost.add(count);
        reconnector.tell(listener -> listener.settlementsLost(address, count));
    }

    /** Runs the code on the I/O thread and waits until it is done; does nothing if that thread has ended. */
    public void onLoopAndWait(Runnable code) {
        onLoopAndWait(
                done -> {
                    code.run();
                    done.run();
                },
                Timeouts.nanos(config.closeTimeout()));
    }

    /** Runs the code on the I/O thread, and waits until the code says that it is done, or the time is over. */
    public void onLoopAndWait(Consumer<Runnable> code, long timeoutNanos) {
        CountDownLatch done = new CountDownLatch(1);
        try {
            loop.execute(() -> code.accept(done::countDown));
            done.await(timeoutNanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException ioThreadIsGone) {
            LOG.debug("The I/O thread has ended already");
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

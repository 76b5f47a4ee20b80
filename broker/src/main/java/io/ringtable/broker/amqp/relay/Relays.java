package io.ringtable.broker.amqp.relay;

import io.netty.channel.EventLoop;
import io.ringtable.broker.amqp.carried.CarriedClient;
import io.ringtable.broker.amqp.frames.RelayedTransfers;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.ConnectionMemory;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.amqp.link.WaitingBytes;
import io.ringtable.broker.amqp.numbering.NumberedTransfers;
import io.ringtable.broker.amqp.numbering.RelayProducers;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.qpid.protonj2.types.transport.ConnectionError;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Has the relays of this node: on each event loop at most one to each other node, opened when a client needs it. One
 * that fails is tried again after a pause that doubles; meanwhile those who need it wait for the next try.
 * <p>
 * Thread: {@link #front} any; the rest on the event loop that it names.
 */
public final class Relays {
    private static final long PAUSE_LEAST_MS = 100;
    private static final long PAUSE_MOST_MS = 5_000;

    /** Is what one event loop has to one node. */
    private static final class Way {
        private Relay relay; // null if there is none now
        private long pauseMs; // before the next try; 0 after one that went well
        private long failedAt; // when a try failed last, by System.nanoTime(); 0 = never

        /** Tells whether a request need not wait: a try has just failed, and the next one is to come. */
        private boolean hasJustFailed() {
            return pauseMs > 0
                    && failedAt != 0
                    && System.nanoTime() - failedAt < TimeUnit.MILLISECONDS.toNanos(PAUSE_MOST_MS);
        }
    }

    private final RelaySettings settings;
    private final Map<EventLoop, Map<String, Way>> ways = new ConcurrentHashMap<>(); // by event loop and node
    private final Map<EventLoop, Map<Integer, NextOwner>> moves = new ConcurrentHashMap<>(); // by event loop and shard
    private final Map<EventLoop, RelayProducers> producers = new ConcurrentHashMap<>();
    private final AtomicInteger loops = new AtomicInteger(); // that have producers
    private final WaitingBytes kept = new WaitingBytes(NumberedTransfers.NODE_BYTES); // of transfers passed on
    private volatile boolean stopping; // written by stop(), read by event loops

    /** Makes none yet. */
    public Relays(RelaySettings settings) {
        this.settings = settings;
    }

    /**
     * Makes what brings the links of one client to other nodes.
     *
     * @param loop of the client's connection
     * @param transfers writes to the client
     * @param id of the client's connection
     * @param host from which the client connects
     * @param memory counts what the client's connection holds
     * @param onIdle runs, while the broker stops, when no transfer waits for its outcome any more
     */
    public Front front(
            OpenConnection connection,
            EventLoop loop,
            RelayedTransfers transfers,
            String id,
            String host,
            ConnectionMemory memory,
            Runnable onIdle) {
        return new Front(this, connection, loop, transfers, id, host, memory, onIdle);
    }

    /** Hears what became of a request. Thread: the event loop that it was sent on. */
    public interface RequestAnswer {
        /** Takes the encoded answer. */
        void answered(byte[] reply);

        /** Hears why there is none. @param mayBeDone whether the other node may have done what was asked */
        void failed(String why, boolean mayBeDone);
    }

    /** Tells whether this node may open a relay to the home. */
    public boolean mayAsk(RemoteHome home) {
        return refusal(home) == null;
    }

    /**
     * Sends a request to the management node of another node. Thread: any.
     *
     * @param client who asks; the connection that it names is the request's alone
     * @param request encoded
     * @param waitMs for the answer, and for a relay that has to be opened first
     */
    public void ask(
            EventLoop loop, RemoteHome home, CarriedClient client, byte[] request, long waitMs, RequestAnswer answer) {
        if (home.url() == null) {
            answer.failed("it has not told its URL yet: ask again", false);
            return;
        }
        try {
            loop.execute(() -> {
                Relay relay = to(loop, home); // which has another try under way
                if (way(relay).hasJustFailed()) {
                    answer.failed("no relay could be opened a moment ago: the log has the reason", false);
                } else {
                    new RelayedRequest(relay, client, request, waitMs, answer).begin();
                }
            });
        } catch (RejectedExecutionException e) {
            answer.failed("this node stops", false);
        }
    }

    /** Returns why this node opens no relay at all; null if it may. */
    ErrorCondition refusal(RemoteHome home) {
        return new RelayLogin(settings.login(), home.isSecure()).isSomebody()
                        || settings.openToAll().getAsBoolean()
                ? null
                : Conditions.of(
                        ConnectionError.CONNECTION_FORCED,
                        "RT-4569 " + home + " cannot be reached from this node: set ringtable.cluster.user and"
                                + " ringtable.cluster.password on every node, or connect to that node");
    }

    /** Returns the relay to the node of a home, which may have to be opened first. */
    Relay to(EventLoop loop, RemoteHome home) {
        Map<String, Way> ofLoop = ways.computeIfAbsent(loop, key -> new HashMap<>());
        Way way = ofLoop.computeIfAbsent(home.node(), key -> new Way());
        if (way.relay == null) {
            Relay relay = new Relay(this, settings, loop, home);
            way.relay = relay;
            if (stopping) {
                relay.stop();
            } else if (way.pauseMs == 0) {
                loop.execute(relay::connect); // who asks waits for it first
            } else {
                loop.schedule(relay::connect, way.pauseMs, TimeUnit.MILLISECONDS);
            }
        }
        return way.relay;
    }

    /**
     * Tells whether a relay is not open, and the last one to its node has failed. A link asks again soon, as another
     * node may be the owner by then.
     */
    boolean isTriedAgain(Relay relay) {
        return !relay.isRunning() && way(relay).pauseMs > 0;
    }

    /** Returns what finds the next owner of a shard for links of an event loop. */
    NextOwner nextOwner(EventLoop loop, int shard) {
        return moves.computeIfAbsent(loop, key -> new HashMap<>())
                .computeIfAbsent(shard, key -> new NextOwner(this, loop));
    }

    /** Returns what names the producers of links of an event loop. */
    RelayProducers producers(EventLoop loop) {
        return producers.computeIfAbsent(
                loop,
                key -> new RelayProducers(
                        settings.node(),
                        loops.getAndIncrement(),
                        (action, delayMs) -> loop.schedule(action, delayMs, TimeUnit.MILLISECONDS)));
    }

    /** Returns the count of the bytes that links keep until their transfers have an outcome. */
    WaitingBytes kept() {
        return kept;
    }

    /** Returns how long a silent node keeps its shards. */
    long leaseMs() {
        return settings.lease().toMillis();
    }

    /** Tells whether this is the node of that id. */
    boolean isSelf(String node) {
        return settings.node().equals(node);
    }

    void opened(Relay relay) {
        way(relay).pauseMs = 0;
        settings.counters().relays.increment();
    }

    void ended(Relay relay, boolean wasOpen) {
        Way way = way(relay);
        if (way.relay == relay) {
            way.relay = null;
            way.pauseMs = Math.min(PAUSE_MOST_MS, Math.max(PAUSE_LEAST_MS, 2 * way.pauseMs));
            boolean hasTried = !wasOpen && relay.node().url() != null; // else there was no way to try
            way.failedAt = hasTried ? System.nanoTime() : way.failedAt;
        }
        if (wasOpen) {
            settings.counters().relays.decrement();
        }
    }

    private Way way(Relay relay) {
        return ways.get(relay.loop()).get(relay.node().node());
    }

    /**
     * Hears who owns the shards, as a look at the database had it. Thread: any.
     *
     * @param nodes ids by shard, of owners whose leases ran
     * @param askedAt when the look began, by System.nanoTime()
     */
    public void looked(Map<Integer, String> nodes, long askedAt) {
        OwnerWatch.Look look = new OwnerWatch.Look(nodes, askedAt);
        ways.forEach((loop, ofLoop) -> {
            try {
                loop.execute(() -> List.copyOf(ofLoop.values()).forEach(way -> {
                    if (way.relay != null && way.relay.isRunning()) {
                        way.relay.watch().looked(look);
                    }
                }));
            } catch (RejectedExecutionException e) {
                // this node stops, and its relays with it
            }
        });
    }

    /** Closes all relays: this node stops, and its clients have gone. Thread: any. */
    public void stop() {
        stopping = true;
        ways.forEach((loop, ofLoop) -> loop.execute(() -> ofLoop.values().forEach(way -> {
            if (way.relay != null) {
                way.relay.stop();
            }
        })));
    }
}

package io.ringtable.broker.amqp;

import io.netty.channel.EventLoop;
import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.amqp.link.UserLimit;
import io.ringtable.broker.amqp.link.UserLimits;
import io.ringtable.broker.config.AmqpProperties;
import io.ringtable.broker.login.LoginRules;

/**
 * Counts connections against their bounds, and says which must go: sockets before their open frame, open connections,
 * and those of each user.
 * <p>
 * Thread: any.
 */
final class Admission {
    /** Counts the connections beyond the bounds that hear why they are closed; others are closed without a word. */
    private static final int EXTRA = 100;

    /** Divides the handshake's time-out: a connection is young for this part of it. */
    private static final int YOUNG_PART = 4;

    private final AmqpProperties settings;
    private final AmqpCounters counters;
    private final OpenConnections connections = new OpenConnections();
    private final Handshakes<AmqpTransport> handshakes;
    private final UserLimits users;

    Admission(AmqpProperties settings, LoginRules rules, AmqpCounters counters) {
        this.settings = settings;
        this.counters = counters;
        this.handshakes = new Handshakes<>(
                settings.handshakesMax(), settings.handshakeTimeout().toNanos() / YOUNG_PART, System::nanoTime);
        this.users = new UserLimits(rules::boundsOf, System::nanoTime, counters.rateStalls);
    }

    OpenConnections connections() {
        return connections;
    }

    /** Returns the number of a new connection. */
    long nextNumber() {
        return counters.lastConnection.incrementAndGet();
    }

    // ---- sockets

    /** Counts a socket that was accepted. It, or another one, may have to go. */
    void accepted(AmqpTransport transport) {
        int sockets = connections.add(transport);
        counters.connections.increment();
        counters.connectionsOpened.increment();
        counters.handshakes.increment();
        AmqpTransport crowdedOut =
                handshakes.enter(transport.socket().origin(), transport.socket().number(), transport);
        if (crowdedOut != null) {
            counters.handshakes.decrement();
            EventLoop loop = crowdedOut.channel().eventLoop();
            if (!loop.isShuttingDown()) {
                loop.execute(crowdedOut::crowdedOut);
            }
        }
        if (sockets > settings.connectionsMax() + settings.handshakesMax() + EXTRA) {
            transport.channel().close();
        }
    }

    /** Hears that a connection has sent its open frame, or is gone before that. */
    void handshakeEnded(AmqpTransport transport) {
        if (handshakes.leave(transport.socket().origin(), transport.socket().number())) {
            counters.handshakes.decrement();
        }
    }

    void closed(AmqpTransport transport) {
        handshakeEnded(transport);
        if (connections.remove(transport)) {
            counters.connections.decrement();
        }
    }

    // ---- open connections

    /** Counts a connection as open, until {@link #leave()}. @return false if as many are open as may be */
    boolean enter() {
        boolean entered = connections.enter(settings.connectionsMax());
        if (!entered) {
            counters.connectionsRefused.increment();
        }
        return entered;
    }

    void leave() {
        connections.leave();
    }

    /** Counts a connection of a user, until {@link #leave(UserLimit)}. @return null if the user has all it may have */
    UserLimit enter(String user) {
        UserLimit limit = users.enter(user);
        if (limit == null) {
            counters.connectionsRefused.increment();
        }
        return limit;
    }

    void leave(UserLimit limit) {
        users.leave(limit);
    }

    /** Has a user follow the bounds of now. */
    void boundsChanged(UserLimit limit) {
        users.boundsChanged(limit);
    }

    /** Returns how many connections the user may have; 0 = no bound. */
    int connectionsMax(String user) {
        return users.connectionsMax(user);
    }
}

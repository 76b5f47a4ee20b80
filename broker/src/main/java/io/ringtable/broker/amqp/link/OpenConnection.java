package io.ringtable.broker.amqp.link;

import io.ringtable.broker.access.Identity;
import io.ringtable.broker.dispatch.Home;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/** Shows a connection to its links. Thread: its event loop. */
public interface OpenConnection {
    /** Tells whether both ends are open, so that frames may be written. */
    boolean isRunning();

    /** Tells whether the broker stops: publishers get no more credit. */
    boolean isStopping();

    /** Counts attached links. */
    int linkCount();

    /** Tells whether deliveries may be written: the client keeps up with reading. */
    boolean canWrite();

    /** Returns the mailbox by which other threads reach the connection. */
    ConnectionMailbox mailbox();

    /** Returns the client's container id; empty if it has none. */
    String containerId();

    /** Returns who the client is; {@link Identity#ANONYMOUS} where everybody may connect. */
    Identity identity();

    /** Returns the name that the client logged in with; empty where everybody may connect. */
    default String user() {
        return identity().name();
    }

    /** Returns the name to which the connection's use counts: its user or, without logins, its host. */
    String owner();

    /** Names the connection for people: its peer, its container, its user. Thread: any. */
    default String description() {
        return this + (user().isEmpty() ? "" : " of user '" + user() + "'");
    }

    /** Returns the name that the client gave a link. Where another node carries the client, the attach has another. */
    default String nameOf(Link<?> link) {
        return link.getName();
    }

    /**
     * Returns why a link may not create the address that it names and that is not there; null if rules and policies
     * decide.
     */
    default ErrorCondition refusalToCreate(Link<?> link, NodeName address) {
        return null;
    }

    /** Tells whether another node has the client's connection. */
    default boolean isCarried() {
        return false;
    }

    /** Hears that what a link says depends on a shard, from before its first word. */
    void dependsOn(Home home);

    /** Hears that something of a link waits for the end of this turn, or of a later one. */
    default void waitsForTurn() {}

    void attached(AmqpLink link);

    /** Hears that the client's link is served by another object from now on. */
    default void replaced(AmqpLink before, AmqpLink now) {
        throw new IllegalStateException("no link of this connection was passed on");
    }

    /** Removes a link, which has released everything. */
    void ended(AmqpLink link);

    /**
     * Closes with a condition.
     *
     * @param lost whether the client may have seen deliveries without telling their outcome
     */
    void close(ErrorCondition condition, boolean lost);

    /** Closes after a failure of the broker itself while it served the connection. */
    void fail(Throwable cause);
}

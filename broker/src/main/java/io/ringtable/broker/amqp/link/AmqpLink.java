package io.ringtable.broker.amqp.link;

import io.ringtable.broker.status.LinkStatus;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/** Does what a connection asks of each of its links. Thread: the connection's event loop. */
public interface AmqpLink {

    Link<?> link();

    /**
     * Releases everything the link holds. May be called more than once; only the first call counts.
     *
     * @param lost whether the client may have seen deliveries without telling their outcome
     */
    void end(boolean lost);

    /** Returns why the rules that count now no longer permit the link; null if they do, and if it needs no right. */
    default ErrorCondition refusal() {
        return null;
    }

    /** Describes the link to operators. @param key what the connection knows of the link */
    LinkStatus status(LinkStatus.Key key);

    /** Ends the link and detaches with an error. */
    void detach(ErrorCondition condition);

    /** Tells whether the link holds anything of a shard. @param shard its number */
    default boolean uses(int shard) {
        return false;
    }

    /** Hears that other rules or other policies count. */
    default void rulesChanged() {
        checkRights();
    }

    /** Detaches with the reason if the rules that count now no longer permit the link. */
    default void checkRights() {
        ErrorCondition refusal = refusal();
        if (refusal != null) {
            detach(refusal);
        }
    }
}

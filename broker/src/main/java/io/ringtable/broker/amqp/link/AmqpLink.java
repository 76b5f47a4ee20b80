package io.ringtable.broker.amqp.link;

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

    /** Ends the link and detaches with an error. */
    void detach(ErrorCondition condition);
}

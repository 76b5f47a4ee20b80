package io.ringtable.broker.amqp.link;

import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/** What a connection asks of each of its links. Thread: the connection's event loop. */
public interface AmqpLink {

    Link<?> link();

    /**
     * Lets go of everything the link holds; called once or more, only the first counts.
     *
     * @param lost the client may have seen what was sent and did not say what became of it
     */
    void end(boolean lost);

    /** Ends it and detaches with an error. */
    void detach(ErrorCondition condition);
}

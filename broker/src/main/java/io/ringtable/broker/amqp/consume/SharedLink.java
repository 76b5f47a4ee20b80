package io.ringtable.broker.amqp.consume;

import io.ringtable.broker.amqp.link.AmqpLink;
import io.ringtable.broker.amqp.link.SharedCredit;

/** Serves a consumer's link that other nodes may serve as well. Thread: the connection's event loop. */
public interface SharedLink extends AmqpLink {
    /** Has other nodes serve the client's link too, from now on. Each gets its part of the client's credit. */
    void shareWith(SharedCredit credit);
}

/**
 * Holds what connections and the dispatcher tell each other: a consumer, its deliveries, and the mailbox for their
 * outcomes.
 * <p>
 * Thread: as each type says. Must not know: the rest of the dispatcher, AMQP, JDBC.
 */
package io.ringtable.broker.dispatch.consumer;

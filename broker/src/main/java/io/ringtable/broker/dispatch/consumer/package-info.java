/**
 * Holds what connections and the dispatcher tell each other: a consumer, its deliveries, and the mailbox for what
 * becomes of them.
 * <p>
 * Thread: each type says whose. Must not know: the rest of the dispatcher, AMQP, JDBC.
 */
package io.ringtable.broker.dispatch.consumer;

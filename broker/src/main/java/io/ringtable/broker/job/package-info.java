/**
 * Does one thing with many messages of a queue or a subscription: sends dead letters back to where they came from,
 * moves, copies or deletes. A job consumes and publishes as a client does in transactions, without a connection.
 * <p>
 * Thread: {@code jobs}. Must not know: AMQP, JDBC, how a flush is built, how a subscription is served.
 */
package io.ringtable.broker.job;

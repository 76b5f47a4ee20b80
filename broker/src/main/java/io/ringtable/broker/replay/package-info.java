/**
 * Serves subscriptions that began at a time in the past with copies of what their topic has kept.
 * <p>
 * Thread: {@code committer}, between flushes. Must not know: how a flush is built, AMQP, JDBC, Spring.
 */
package io.ringtable.broker.replay;

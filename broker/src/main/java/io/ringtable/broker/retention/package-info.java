/**
 * Keeps messages of topics, consumed or not. The package has the built-in subscription that owes them, the place where
 * a time in the past begins, and the bounds of age and size.
 * <p>
 * Thread: {@code committer}, between flushes. Must not know: who is served from kept messages, AMQP, JDBC, Spring.
 */
package io.ringtable.broker.retention;

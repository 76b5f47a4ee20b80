/**
 * From the inbox into the ring: looks for messages that applications published inside their own transactions, hands them to
 * the committer, which deletes their rows in the flush that claims them.
 * <p>
 * Thread: {@code inbox-collector}. Must not know: AMQP, JDBC, Spring.
 */
package io.ringtable.broker.inbox;

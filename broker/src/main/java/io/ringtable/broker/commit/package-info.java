/**
 * Turns the work since the last flush into one database transaction, then passes it on.
 * <p>
 * Thread: {@code committer}; others come through {@link io.ringtable.broker.work.CommitterMailbox}. Must not know: its
 * callers, AMQP, JDBC, Spring.
 */
package io.ringtable.broker.commit;

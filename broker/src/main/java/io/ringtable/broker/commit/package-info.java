/**
 * Turns what was handed in since the last flush into one database transaction, then passes it on.
 * <p>
 * Thread: {@code committer}; others come through {@link io.ringtable.broker.work.CommitterMailbox}. Must not know: who hands
 * in, AMQP, JDBC, Spring.
 */
package io.ringtable.broker.commit;

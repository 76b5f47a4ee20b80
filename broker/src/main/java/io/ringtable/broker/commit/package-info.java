/**
 * Turns what was handed in since the last flush into one database transaction, then passes it on.
 * <p>
 * Thread: {@code committer}; others come through {@link io.ringtable.broker.commit.CommitterInbox}. Must not know: AMQP,
 * JDBC, Spring.
 */
package io.ringtable.broker.commit;

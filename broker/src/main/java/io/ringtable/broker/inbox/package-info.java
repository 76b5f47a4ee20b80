/**
 * Collects the inbox into the ring and its ledger. Applications publish and settle there inside their own transactions.
 * The collector hands their rows to the committer, which deletes them in the flush that claims the messages.
 * <p>
 * Thread: {@code inbox-collector}. Must not know: AMQP, JDBC, Spring.
 */
package io.ringtable.broker.inbox;

/**
 * Collects the inbox into the ring and its ledger: looks for what applications published and settled inside their own
 * transactions, and hands it to the committer, which deletes its rows in the flush that claims the messages.
 * <p>
 * Thread: {@code inbox-collector}. Must not know: AMQP, JDBC, Spring.
 */
package io.ringtable.broker.inbox;

/**
 * Runs local transactions (AMQP 1.0 section 4): gathers messages and settlements in memory, and hands them to the
 * committer as one work.
 * <p>
 * Thread: the connection's event loop. Must not know: the links that take part.
 */
package io.ringtable.broker.amqp.transaction;

/**
 * Local transactions (AMQP 1.0 section 4): messages and settlements gathered in memory, handed to the committer as one work.
 * <p>
 * Thread: the connection's event loop. Must not know: which links take part.
 */
package io.ringtable.broker.amqp.transaction;

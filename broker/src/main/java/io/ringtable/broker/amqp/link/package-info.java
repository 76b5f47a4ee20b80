/**
 * Holds what every link works with: its view of the connection, the mailbox, the memory that the connection holds. Also
 * the hand-off to the committer, the catalogue's answers, conditions.
 * <p>
 * Thread: the connection's event loop, unless a class says any. Must not know: the kinds of links.
 */
package io.ringtable.broker.amqp.link;

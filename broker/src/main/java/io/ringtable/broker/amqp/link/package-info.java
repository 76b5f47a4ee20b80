/**
 * What every link works with: its connection as it sees it, the mailbox, the memory that the connection holds, the hand-off to the
 * committer, the catalogue's answers, conditions.
 * <p>
 * Thread: the connection's event loop, unless a class says any. Must not know: which links there are.
 */
package io.ringtable.broker.amqp.link;

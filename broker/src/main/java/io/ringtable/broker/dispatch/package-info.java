/**
 * Gives committed messages to consumers within their credit: the agent, the events of the committer and of consumers,
 * and the delivery itself. The packages below hold every part with a duty of its own.
 * <p>
 * Thread: {@code dispatcher}; the committer comes through {@code CommitListener}, consumers through
 * {@link io.ringtable.broker.dispatch.consumer.DispatcherMailbox}. Must not know: JDBC, protonj2, Spring.
 */
package io.ringtable.broker.dispatch;

/**
 * Gives committed messages to consumers within their credit: the agent, what it hears from the committer and from
 * consumers, and the delivery itself. Everything that has a duty of its own lies in a package below.
 * <p>
 * Thread: {@code dispatcher}; the committer comes through {@code CommitListener}, consumers through
 * {@link io.ringtable.broker.dispatch.consumer.DispatcherMailbox}. Must not know: JDBC, protonj2, Spring.
 */
package io.ringtable.broker.dispatch;

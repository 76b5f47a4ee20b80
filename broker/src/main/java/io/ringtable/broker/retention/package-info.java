/**
 * What topics keep, whoever has consumed it: the built-in subscription that owes it, where a time in the past begins
 * in it, and what goes again by age and size.
 * <p>
 * Thread: {@code committer}, between flushes. Must not know: who is served from what is kept, AMQP, JDBC, Spring.
 */
package io.ringtable.broker.retention;

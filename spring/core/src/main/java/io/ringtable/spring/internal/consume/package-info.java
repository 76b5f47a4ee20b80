/**
 * Takes messages from the broker for a listener: a group of consumers for each address, each with a link and a thread.
 * <p>
 * Thread: each {@code ListenerConsumer} is a task of the container's executor; any thread starts and stops groups. Must
 * not know: what a listener's method looks like, and what becomes of a message.
 */
package io.ringtable.spring.internal.consume;

/**
 * Contains listeners: their links to the broker, their threads, and what happens to a message whose method fails.
 * <p>
 * Thread: each {@code ListenerConsumer} is a task of the container's executor; any thread starts and stops containers.
 */
package io.ringtable.spring.listener;

/**
 * Contains what starts and stops listeners, calls their methods, and acts on a message whose method fails. The
 * consumers, which take messages from the broker, stand in {@code internal.consume}.
 * <p>
 * Thread: any starts and stops containers; each consumer calls the method on a thread of its own.
 */
package io.ringtable.spring.listener;

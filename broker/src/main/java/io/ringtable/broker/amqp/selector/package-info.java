/**
 * Selectors in the syntax of Jakarta Messaging, compiled, bounded and asked of encoded messages.
 * <p>
 * Thread: any. Must not know: connections, Netty.
 */
package io.ringtable.broker.amqp.selector;

/**
 * Compiles and bounds selectors in the syntax of Jakarta Messaging, and applies them to encoded messages.
 * <p>
 * Thread: any. Must not know: connections, Netty.
 */
package io.ringtable.broker.amqp.selector;

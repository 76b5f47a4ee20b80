/**
 * Publishes to and subscribes at a Ringtable broker over AMQP 1.0, without Spring: the Java client SDK.
 * <p>
 * Start at {@link io.ringtable.client.RingtableClient#connect}. Everything here is an interface, an immutable value or
 * an exception. {@code jdbc} and {@code micrometer} add what needs another library; {@code internal} has the
 * implementation, which no application should touch. {@code RingtableClient.builder()} alone reaches it, by the service
 * loader. Threads: every type may be used from any thread unless it says otherwise. Must not know: any other package of
 * Ringtable, Netty, protonj2.
 */
package io.ringtable.client;

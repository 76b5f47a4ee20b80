/**
 * Publishes to and subscribes at a Ringtable broker over AMQP 1.0, without Spring: the Java client SDK.
 * <p>
 * Start at {@link io.ringtable.client.RingtableClient#connect}. Everything here is an interface, an immutable value or
 * a builder; {@code internal} has the implementation, which no application should touch. Threads: every type may be
 * used from any thread unless it says otherwise. Must not know: the broker's code, Netty, protonj2.
 */
package io.ringtable.client;

/**
 * The Java client SDK: publish to and subscribe at a Ringtable broker over AMQP 1.0, without Spring.
 * <p>
 * Start at {@link io.ringtable.client.RingtableClient#connect}. Everything here is an interface, an immutable value or
 * a builder; how it is done stands in {@code internal}, which no application should touch. Threads: every type may be
 * used from any thread unless it says otherwise. Must not know: the broker's code, Netty, protonj2.
 */
package io.ringtable.client;

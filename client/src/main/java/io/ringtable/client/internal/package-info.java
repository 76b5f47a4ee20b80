/**
 * Implements the SDK: builds a client from its settings, and opens and closes its publishers and subscriptions.
 * <p>
 * One I/O thread (a Netty event loop) owns the connection, the protonj2 engine on it and its links. Application threads
 * reach it through queues, and wake it once per batch. A message goes through {@code encoding}, {@code publish} and
 * {@code connection} to the broker, and through {@code connection}, {@code receive} and {@code encoding} to the
 * application. Must not know: the broker's code, Micrometer, JDBC, Spring. Nothing here is part of the SDK's interface.
 */
package io.ringtable.client.internal;

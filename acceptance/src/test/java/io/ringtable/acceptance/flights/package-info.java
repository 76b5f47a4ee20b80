/**
 * Rows of real flights, published to a topic with three durable subscriptions while the broker is killed, and accounted
 * row by row.
 * <p>
 * Thread: one per publisher, one per subscriber, one that kills; they meet in {@code FlightAccounts} only. Must not
 * know: any class of the broker.
 */
package io.ringtable.acceptance.flights;

/**
 * Holds the arithmetic of the ring: sequences, slots, laps, blocks of the settlement ledger, and the invariant
 * {@code gate <= next <= gate + capacity}.
 * <p>
 * Thread: none of its own; its mutable classes belong to the thread of their holder (the committer). Must not know:
 * SQL, AMQP, Spring, threads.
 */
package io.ringtable.broker.ring;

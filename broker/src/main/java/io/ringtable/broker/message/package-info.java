/**
 * Holds a message as every part of the broker passes it on, with its address: facts and encoded bytes, immutable.
 * <p>
 * Thread: any. Only {@link io.ringtable.broker.message.AddressQuota} changes: a counter, in which event loops reserve
 * places and the committer gives them back, by compare-and-set. Must not know: any other package, SQL, AMQP types,
 * Spring.
 */
package io.ringtable.broker.message;

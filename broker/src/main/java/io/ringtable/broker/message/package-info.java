/**
 * A message as every part of the broker passes it on, and the address that it goes to: facts and encoded bytes, immutable.
 * <p>
 * Thread: any. The one part that moves is {@link io.ringtable.broker.message.AddressQuota}, a counter that event loops
 * reserve places in and that the committer gives places back to, by compare-and-set. Must not know: any other package,
 * SQL, AMQP types, Spring.
 */
package io.ringtable.broker.message;

/**
 * A message as every part of the broker passes it on: its facts and its encoded bytes, immutable.
 * <p>
 * Thread: any. Must not know: SQL, AMQP types, Spring.
 */
package io.ringtable.broker.message;

/**
 * Decodes messages for administrators within the bounds of module {@code wire}, and encodes what they write.
 * <p>
 * Thread: one at a time. Must not know: JDBC, Netty, connections.
 */
package io.ringtable.broker.amqp.inspect;

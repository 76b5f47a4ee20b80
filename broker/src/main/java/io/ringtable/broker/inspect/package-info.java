/**
 * Looks at single messages for administrators. Finds them, shows them decoded, and says where they are and why they are
 * not delivered. Sends corrected copies, and removes messages.
 * <p>
 * Thread: {@code inspector}; any hands in, through {@link io.ringtable.broker.inspect.Inspector}. Must not know: AMQP,
 * JDBC, how anything is delivered.
 */
package io.ringtable.broker.inspect;

/**
 * Looks at single messages for administrators: finds them, shows them decoded, says where they are and why they are not
 * delivered, sends corrected copies, and removes them.
 * <p>
 * Thread: {@code inspector}; any hands in, through {@link io.ringtable.broker.inspect.Inspector}. Must not know: AMQP,
 * JDBC, how anything is delivered.
 */
package io.ringtable.broker.inspect;

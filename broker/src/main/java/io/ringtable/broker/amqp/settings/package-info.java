/**
 * How the broker speaks AMQP: addresses to listen on, bounds, who may log in. Values that are refused outside their ranges.
 * <p>
 * Thread: any; immutable. Must not know: anything else of the broker.
 */
package io.ringtable.broker.amqp.settings;

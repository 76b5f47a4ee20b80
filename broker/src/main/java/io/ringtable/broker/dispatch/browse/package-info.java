/**
 * Shows messages to consumers that only look and take nothing, and to administrators those that only memory has.
 * <p>
 * Thread: {@code dispatcher}. Must not know: delivery, redelivery, fanning out.
 */
package io.ringtable.broker.dispatch.browse;

/**
 * Wires the parts, and does nothing else: {@code RingtableBroker} puts them together without Spring,
 * {@code BrokerApplication} adds properties, health and metrics.
 * <p>
 * Thread: the one that starts and stops the broker. Must not know: how any part does its work.
 */
package io.ringtable.broker;

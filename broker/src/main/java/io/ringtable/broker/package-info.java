/**
 * Wiring only: {@code RingtableBroker} puts the parts together without Spring, {@code BrokerApplication} gives it its
 * properties, health and metrics.
 * <p>
 * Thread: whoever starts and stops it. Must not know: how any part does its work.
 */
package io.ringtable.broker;

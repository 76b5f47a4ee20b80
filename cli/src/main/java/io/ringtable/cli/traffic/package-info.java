/**
 * Moves messages over AMQP: from lines to an address, from an address to lines, and from broker to broker.
 * <p>
 * Thread: the command's; the SDK's callbacks only count, and the bridge has threads of its own.
 */
package io.ringtable.cli.traffic;

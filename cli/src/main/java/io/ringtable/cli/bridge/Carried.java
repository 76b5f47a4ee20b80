package io.ringtable.cli.bridge;

import org.apache.qpid.protonj2.engine.IncomingDelivery;

/**
 * Holds a message between the two brokers.
 *
 * @param delivery of the source
 * @param key by which the message is recognised; null = it has none of the bridge's
 * @param bytes for the target
 */
record Carried(IncomingDelivery delivery, String key, byte[] bytes) {}

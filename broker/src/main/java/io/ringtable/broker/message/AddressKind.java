package io.ringtable.broker.message;

/**
 * Distinguishes queues from topics: a queue has exactly one subscription, shared by its consumers; a topic has any
 * number.
 */
public enum AddressKind {
    QUEUE,
    TOPIC
}

package io.ringtable.broker.message;

/** A queue has exactly one subscription, shared by all its consumers; a topic has any number. */
public enum AddressKind {
    QUEUE,
    TOPIC
}

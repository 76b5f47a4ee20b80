package io.ringtable.broker.config;

/** Says which kind of address the broker creates where the client does not say. */
public enum DefaultKind {
    QUEUE,
    TOPIC
}

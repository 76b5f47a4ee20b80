package io.ringtable.broker.config;

/** As what an address is created where its client does not say. */
public enum DefaultKind {
    QUEUE,
    TOPIC
}

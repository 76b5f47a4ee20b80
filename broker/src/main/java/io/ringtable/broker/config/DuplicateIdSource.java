package io.ringtable.broker.config;

/** Says by which id messages of an address are stored once. */
public enum DuplicateIdSource {
    /** By the property {@code _AMQ_DUPL_ID}. */
    PROPERTY,
    /** By that or, where a message has none, by its message id. */
    MESSAGE_ID
}

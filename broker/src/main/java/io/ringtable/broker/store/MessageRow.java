package io.ringtable.broker.store;

/**
 * Holds the row of one message wherever it lies.
 *
 * @param message {@code pending} as its row has it. In the ring that says who owed it when it was published, in the
 *     backlog who owed it when it was moved
 * @param inRing false if it lies in the backlog
 * @param owed the bits of {@code pending} that the ledger does not have; a bit whose subscription is gone may be among
 *     them
 */
public record MessageRow(StoredMessage message, boolean inRing, long owed) {}

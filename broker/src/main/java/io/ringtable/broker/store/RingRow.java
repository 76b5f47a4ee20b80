package io.ringtable.broker.store;

/**
 * Holds one row of the ring as recovery reads it, with what it needs to judge whether the row is whole.
 *
 * @param message without its body; {@code pending} as it was at publish
 * @param referenceCount as the row has it: it must be the number of bits in {@code pending}
 * @param bodyComplete false if the body lies in overflow and a chunk of it, or a byte of its length, is missing
 */
public record RingRow(StoredMessage message, int referenceCount, boolean bodyComplete) {}

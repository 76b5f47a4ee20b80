package io.ringtable.broker.recovery;

/**
 * Holds what recovery reads from a row of the ring after a crash. The decision table has one row for every combination.
 */
record RowFacts(Place place, Bits bits, LedgerBits ledger, Home home, Owed owed, Body body) {

    /** Says whether the row has the sequence that follows the one before, from the gate on. */
    enum Place {
        FOLLOWS,
        ASTRAY
    }

    /** Says whether {@code reference_count} is the number of bits in {@code pending}, and not 0. */
    enum Bits {
        COUNTED,
        MISCOUNTED
    }

    /** Says whether the ledger has settled only bits that are pending. */
    enum LedgerBits {
        WITHIN,
        BEYOND
    }

    /** Says whether the address of the message exists, existed (an id in use before), or never did. */
    enum Home {
        KNOWN,
        FORMER,
        NEVER
    }

    /** Says whether a live subscription holds a pending bit, reaches down to the message and has not settled it. */
    enum Owed {
        SOME,
        NONE
    }

    /** Says whether the body is whole, in the row or in overflow. */
    enum Body {
        COMPLETE,
        INCOMPLETE
    }
}

package io.ringtable.broker.recovery;

/**
 * What can be read from a row of the ring after a crash, and what follows from it: one row of the decision table for
 * every combination.
 */
record RowFacts(Place place, Bits bits, LedgerBits ledger, Home home, Owed owed, Body body) {

    /** Whether the row has the sequence that follows the one before it, from the gate on. */
    enum Place {
        FOLLOWS,
        ASTRAY
    }

    /** Whether {@code reference_count} is the number of bits in {@code pending}, and not 0. */
    enum Bits {
        COUNTED,
        MISCOUNTED
    }

    /** Whether the ledger has settled only bits that are pending. */
    enum LedgerBits {
        WITHIN,
        BEYOND
    }

    /** Whether its address is there, was there (an id that was given away once), or never was. */
    enum Home {
        KNOWN,
        FORMER,
        NEVER
    }

    /** Whether a live subscription holds a pending bit, reaches down to the message and has not settled it. */
    enum Owed {
        SOME,
        NONE
    }

    /** Whether its body is whole, in the row or in overflow. */
    enum Body {
        COMPLETE,
        INCOMPLETE
    }
}

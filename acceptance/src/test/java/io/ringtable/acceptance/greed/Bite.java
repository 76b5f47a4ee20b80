package io.ringtable.acceptance.greed;

/** The deed that proves that an attack bites, and how often it has to be done at the least. */
record Bite(String deed, long least) {
    boolean isDoneBy(Deeds deeds) {
        return deeds.of(deed) >= least;
    }
}

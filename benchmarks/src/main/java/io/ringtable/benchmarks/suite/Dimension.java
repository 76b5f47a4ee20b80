package io.ringtable.benchmarks.suite;

import java.util.Arrays;
import java.util.Locale;

/** Names what the cases of a suite vary; each has a column of the raw data by its name in lower case. Thread: any. */
public enum Dimension {
    /** The measured queue: a design of an article, or a form of Ringtable's flush. */
    DESIGN(""),
    /** Sessions that push, each with a connection and a thread. */
    PUSHERS("1", 2),
    /** Sessions that pop, for each subscriber. */
    POPPERS("1", 2),
    /** Messages per commit. */
    BATCH("1", 100),
    /** Bytes of a message's body; the articles' messages have 300. */
    BODY_BYTES("300", 10000),
    /** Subscribers that each receive every message; 1 is a queue. */
    SUBSCRIBERS("1", 3),
    /** Slots of the ring. */
    RING_SIZE("100000", 2000),
    /** Messages that wait before the poppers begin. */
    HEAD_START("0", 100),
    /** {@code durable}, or {@code delayed}: the engine's own way of committing without a sync. */
    DURABILITY("durable");

    private final String usual;
    private final int smokeMax;

    /** For words. */
    Dimension(String usual) {
        this(usual, Integer.MAX_VALUE);
    }

    /** For numbers. @param smokeMax in the profile smoke, which shows only that it works */
    Dimension(String usual, int smokeMax) {
        this.usual = usual;
        this.smokeMax = smokeMax;
    }

    /** Returns a value of the profile smoke: no number is larger than it has to be. */
    String small(String value) {
        return smokeMax == Integer.MAX_VALUE ? value : String.valueOf(Math.min(smokeMax, Integer.parseInt(value)));
    }

    /** Returns the value of a suite that does not name this dimension. */
    String usual() {
        return usual;
    }

    /** Returns the name of the column, and of the dimension in {@code suites.yaml}. */
    public String column() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Returns the dimension of a column.
     *
     * @throws IllegalArgumentException if none has the name
     */
    static Dimension of(String column) {
        return Arrays.stream(values())
                .filter(dimension -> dimension.column().equals(column))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("'" + column + "' is no dimension; there are "
                        + Arrays.stream(values()).map(Dimension::column).toList()));
    }
}

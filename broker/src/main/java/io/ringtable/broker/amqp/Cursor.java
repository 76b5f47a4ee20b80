package io.ringtable.broker.amqp;

import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;
import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Is the place of something open in the order in which it is shown. Immutable. */
record Cursor(long first, long second, long third) implements Comparable<Cursor> {
    private static final Pattern TEXT = Pattern.compile("(\\d{1,18})\\.(\\d{1,18})\\.(\\d{1,18})");
    private static final Comparator<Cursor> ORDER = Comparator.comparingLong(Cursor::first)
            .thenComparingLong(Cursor::second)
            .thenComparingLong(Cursor::third);

    /** Comes before everything: numbers begin at 1. */
    private static final Cursor BEGIN = new Cursor(0, 0, 0);

    /** Reads the text of a cursor. @param text null = before everything */
    static Cursor of(String text) {
        if (text == null) {
            return BEGIN;
        }
        Matcher numbers = TEXT.matcher(text);
        if (!numbers.matches()) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.INVALID,
                    "RT-4377",
                    "'" + Printable.value(text) + "' is no cursor: give the one that came with the part before, or none"
                            + " for the first part"));
        }
        return new Cursor(
                Long.parseLong(numbers.group(1)), Long.parseLong(numbers.group(2)), Long.parseLong(numbers.group(3)));
    }

    @Override
    public int compareTo(Cursor other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return first + "." + second + "." + third;
    }
}

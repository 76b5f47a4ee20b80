package io.ringtable.broker.admin.console.view;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Writes numbers, sizes and times for people. Thread: any. */
public final class Shown {
    /** Stands where there is nothing to show. */
    public static final String NOTHING = "–";

    private static final String[] UNITS = {"B", "KB", "MB", "GB", "TB", "PB"};
    private static final int UNIT = 1_024;
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

    private Shown() {}

    public static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    /** Shows a rate: with a decimal place where it is small. */
    public static String rate(double perSecond) {
        return perSecond == 0 || perSecond >= 10
                ? number(Math.round(perSecond))
                : String.format(Locale.ROOT, "%.1f", perSecond);
    }

    public static String bytes(long value) {
        double shown = value;
        int unit = 0;
        while (shown >= UNIT && unit < UNITS.length - 1) {
            shown /= UNIT;
            unit++;
        }
        return unit == 0 || shown >= 100
                ? Math.round(shown) + " " + UNITS[unit]
                : String.format(Locale.ROOT, "%.1f %s", shown, UNITS[unit]);
    }

    /** Shows a time that something takes, with two or three digits. */
    public static String millis(double ms) {
        if (ms < 10) {
            return String.format(Locale.ROOT, "%.1f ms", ms);
        }
        if (ms < 1_000) {
            return Math.round(ms) + " ms";
        }
        Duration whole = Duration.ofMillis(Math.round(ms));
        if (whole.toMinutes() < 1) {
            return String.format(Locale.ROOT, "%.1f s", ms / 1_000);
        }
        return whole.toHours() < 1
                ? whole.toMinutes() + " min " + whole.toSecondsPart() + " s"
                : whole.toHours() + " h " + whole.toMinutesPart() + " min";
    }

    /** Shows a time in UTC, to the second. */
    public static String time(Instant at) {
        return TIME.format(at);
    }

    public static String share(double part) {
        return part > 0 && part < 0.01 ? "< 1 %" : Math.round(part * 100) + " %";
    }

    /** Turns the name of a field into words: {@code owedInRing} becomes {@code Owed in ring}. */
    public static String words(String field) {
        String spaced = field.replaceAll("(?<=[a-z0-9])(?=[A-Z])", " ")
                .replaceAll(" (?:At|Ms)$", "")
                .toLowerCase(Locale.ROOT);
        return spaced.isEmpty() ? spaced : Character.toUpperCase(spaced.charAt(0)) + spaced.substring(1);
    }
}

package io.ringtable.cli.option;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a point in time: a date with time and offset, or how long ago it was. */
public final class SinceTime implements ITypeConverter<Instant> {
    private static final Pattern AGO = Pattern.compile("(\\d{1,9})([smhd])");

    private final InstantSource clock;

    /** Reads by the clock of this machine, which may differ from the broker's. */
    SinceTime() {
        this(InstantSource.system());
    }

    SinceTime(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public Instant convert(String text) {
        Matcher ago = AGO.matcher(text);
        if (ago.matches()) {
            return clock.instant().minus(duration(Long.parseLong(ago.group(1)), ago.group(2)));
        }
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeParseException e) {
            throw new TypeConversionException("'" + text
                    + "' is no time: write it as 2026-11-21T10:00:00Z, or how long ago it was as 90s, 30m, 2h or 7d");
        }
    }

    private static Duration duration(long number, String unit) {
        return switch (unit) {
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            default -> Duration.ofDays(number);
        };
    }
}

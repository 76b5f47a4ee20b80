package io.ringtable.cli.option;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Says from when the messages are that a command works with. */
public final class TimeOptions {
    @Option(
            names = "--since",
            paramLabel = "TIME",
            converter = SinceTime.class,
            description = "Only those published since TIME: 2026-11-21T10:00:00Z, or how long ago: 90s, 30m, 2h, 7d. A"
                    + " dead letter counts by when it died.")
    private Instant since;

    @Option(
            names = "--until",
            paramLabel = "TIME",
            converter = SinceTime.class,
            description = "Only those published until TIME, that moment included.")
    private Instant until;

    @Option(
            names = "--hour",
            paramLabel = "TIME",
            converter = SinceTime.class,
            description = "Only those of the hour that has TIME in it, as 'deadletter list --hourly' shows it, instead"
                    + " of --since and --until.")
    private Instant hour;

    public boolean isAny() {
        return since == null && until == null && hour == null;
    }

    /** @throws ParameterException if --hour stands beside another bound */
    public void check(CommandLine command) {
        if (hour != null && (since != null || until != null)) {
            throw new ParameterException(
                    command, "--hour says since when and until when: leave out --since and --until, or --hour");
        }
    }

    public Instant since() {
        return hour == null ? since : beginning();
    }

    public Instant until() {
        return hour == null ? until : beginning().plus(1, ChronoUnit.HOURS).minusMillis(1);
    }

    private Instant beginning() {
        return hour.truncatedTo(ChronoUnit.HOURS);
    }
}

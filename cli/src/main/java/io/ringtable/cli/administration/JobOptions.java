package io.ringtable.cli.administration;

import io.ringtable.cli.option.TimeOptions;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Says with which messages a job works, how fast, and whether the command waits for its end. */
public final class JobOptions {
    @Option(
            names = "--selector",
            paramLabel = "TEXT",
            description = "Work with those messages only that the selector of Jakarta Messaging wants, such as"
                    + " \"country = 'PT'\".")
    private String selector;

    @Mixin
    private TimeOptions time;

    @Option(names = "--rate", paramLabel = "N", description = "Work with at most N messages a second.")
    private Integer rate;

    @Option(names = "--max", paramLabel = "N", description = "End after N messages.")
    private Long max;

    @Option(names = "--dry-run", description = "Count the messages, and change nothing.")
    private boolean dryRun;

    @Option(names = "--detach", description = "Do not wait for the end of the job: 'job show ID' tells how it goes.")
    private boolean detach;

    boolean isDetached() {
        return detach;
    }

    /** Returns whether the job works with all messages that there are. */
    boolean takesAll() {
        return selector == null && max == null && time.isAny();
    }

    TimeOptions time() {
        return time;
    }

    /** Returns a job as these options say it, for the command to complete. */
    public Fields job(String action, String from) {
        return new Fields()
                .with("action", action)
                .with("from", from)
                .with("selector", selector)
                .with("since", time.since())
                .with("until", time.until())
                .with("rate", rate)
                .with("max", max)
                .with("dryRun", dryRun);
    }
}

package io.ringtable.cli.option;

import io.ringtable.cli.failure.CommandFailed;
import io.ringtable.cli.failure.ExitCode;
import java.time.Duration;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Says when a command that receives messages ends. */
public final class EndOptions {

    @Option(names = "--count", paramLabel = "N", description = "End after N messages; fail if fewer come in time.")
    private Long count;

    @Option(names = "--follow", description = "Wait for messages until interrupted.")
    private boolean follow;

    @Option(
            names = "--wait",
            paramLabel = "SECONDS",
            defaultValue = "2",
            description = "Without --follow: end when no message has come for SECONDS (default: ${DEFAULT-VALUE}).")
    private double waitSeconds;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    /** @throws ParameterException if a value is out of its range */
    public void check() {
        if (count != null && count < 0) {
            throw new ParameterException(spec.commandLine(), "--count " + count + " is below 0");
        }
        if (waitSeconds < 0) {
            throw new ParameterException(spec.commandLine(), "--wait " + waitSeconds + " is below 0");
        }
    }

    /** Returns the number of messages after which the command ends; {@link Long#MAX_VALUE} without {@code --count}. */
    public long count() {
        return count == null ? Long.MAX_VALUE : count;
    }

    public boolean isFollowing() {
        return follow;
    }

    /** Returns how long the command waits for the next message without {@code --follow}. */
    public Duration patience() {
        return Duration.ofMillis(Math.round(waitSeconds * 1000));
    }

    /** @throws CommandFailed RT-6006 if {@code --count} asks for more than came */
    public void checkAllCame(long came) {
        if (count != null && came < count) {
            throw new CommandFailed(
                    ExitCode.FAILED,
                    "RT-6006",
                    came + " of " + count + " messages came, then none for " + waitSeconds
                            + " s: raise --wait, or add --follow");
        }
    }
}

package io.ringtable.cli.user;

import io.ringtable.cli.administration.Fields;
import picocli.CommandLine.Option;

/** Takes what bounds a user; the broker checks the numbers. */
final class UserBoundsOptions {
    private static final String SPECIAL = " 0 is no bound, -1 the bound of all users.";

    @Option(
            names = "--connections-max",
            paramLabel = "N",
            description = "Connections that the user may have open at once." + SPECIAL)
    private Integer connectionsMax;

    @Option(
            names = "--messages-per-second",
            paramLabel = "N",
            description = "Messages that the user may publish in a second, by all its connections." + SPECIAL)
    private Integer messagesPerSecond;

    @Option(
            names = "--bytes-per-second",
            paramLabel = "N",
            description = "Bytes of messages that the user may publish in a second." + SPECIAL)
    private Long bytesPerSecond;

    /** Adds what was said. */
    Fields in(Fields user) {
        return user.with("connectionsMax", connectionsMax)
                .with("messagesPerSecond", messagesPerSecond)
                .with("bytesPerSecond", bytesPerSecond);
    }
}

package io.ringtable.acceptance.greed;

import io.ringtable.acceptance.harness.BrokerProcess;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Reads for how long the threads of a broker were held up at most since the last look. This is the first thing to check
 * when the broker fails against an attack. Thread: the test's.
 */
final class LongestTurns {
    private static final Pattern TURN =
            Pattern.compile("(?m)^ringtable_turn_longest_seconds\\{[^}]*thread=\"([^\"]+)\"[^}]*} (\\S+)");

    private LongestTurns() {}

    /** In the broker's words; empty of one that does not measure it. */
    static String ask(BrokerProcess broker) {
        Matcher turns = TURN.matcher(broker.http("/actuator/prometheus").body());
        return turns.results()
                .map(turn -> turn.group(1) + " " + Math.round(Double.parseDouble(turn.group(2)) * 1_000))
                .collect(Collectors.joining(", "));
    }
}

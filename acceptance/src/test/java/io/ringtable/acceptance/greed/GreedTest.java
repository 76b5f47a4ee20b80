package io.ringtable.acceptance.greed;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.acceptance.harness.Bench;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Checks that greedy clients harm only themselves. {@code acceptance/greed.sh} runs every attack long enough to tell. A
 * build runs a short attack, which only has to bite and to leave the broker and the honest client alive.
 */
@Isolated("it compares latencies")
class GreedTest {
    /** Names of attacks, or {@code all}; without any, the short one. */
    private static final String ATTACKS = System.getProperty("greed.attacks", "");

    private static final int SECONDS = Integer.getInteger("greed.seconds", 15);
    /** More options of the broker's JVM. */
    private static final String JVM = System.getProperty("greed.jvm", "");

    private static final Duration ALONE = Duration.ofSeconds(10);
    private static final Duration AFTER = Duration.ofSeconds(3);
    private static final Duration SHORT = Duration.ofSeconds(1);

    @RegisterExtension
    final Bench bench = new Bench();

    @Test
    void theHonestClientIsServedBesideTheGreedyOnes() {
        List<SiegeReport> reports = ATTACKS.isBlank() ? runShort() : runAll();

        assertThat(reports).as("attacks that bite").allMatch(SiegeReport::isBiting);
        if (ATTACKS.isBlank()) {
            assertThat(reports)
                    .as("what is left")
                    .allMatch(report -> report.misses().isEmpty());
        } else {
            assertThat(reports).as("attacks that are held").allMatch(SiegeReport::isHeld);
        }
    }

    /** On a broker that starts quickly, without what a figure needs. */
    private List<SiegeReport> runShort() {
        Siege.Timing timing = new Siege.Timing(Duration.ZERO, SHORT, SHORT, SHORT);
        return List.of(new Siege(bench, AttackName.DISPOSITIONS, timing, UnaryOperator.identity()).run());
    }

    private List<SiegeReport> runAll() {
        Siege.Timing timing = new Siege.Timing(ALONE, ALONE, Duration.ofSeconds(SECONDS), AFTER);
        List<SiegeReport> reports = new ArrayList<>();
        System.out.println(SiegeReport.head());
        for (AttackName attack : attacks()) {
            SiegeReport report =
                    new Siege(bench, attack, timing, settings -> settings.jvm(BrokerLoad.options(JVM))).run();
            System.out.println(report.line());
            reports.add(report);
        }
        return reports;
    }

    private static List<AttackName> attacks() {
        return ATTACKS.strip().equals("all")
                ? List.of(AttackName.values())
                : Arrays.stream(ATTACKS.strip().split("[ ,]+"))
                        .map(AttackName::of)
                        .toList();
    }
}

package io.ringtable.acceptance.patroni;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.acceptance.harness.Bench;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Kills, freezes and switches over the primary of a database behind Patroni, under one of three shards. Nothing
 * accepted is lost, nothing comes twice but flagged, and each producer's messages keep their order. The two other
 * shards keep their rate. {@code acceptance/patroni.sh} fails over more often; {@code -Dpatroni.seed=…} repeats what a
 * run chose.
 */
@Isolated("compares rates")
class PatroniTest {
    private static final int EVENTS = Integer.getInteger("patroni.events", 1);
    private static final int EVENTS_TO_JUDGE = 6; // fewer tell little on a machine with other work
    private static final double SHARE = 0.9;
    private static final double SHARE_OF_FEW = 0.5;
    private static final long SEED = Long.getLong("patroni.seed", System.nanoTime());

    @RegisterExtension
    final Bench bench = new Bench();

    @Test
    void aFailOverUnderOneShardLosesNothingAndTheOthersDoNotNotice() throws Exception {
        System.out.printf("patroni.seed %d%n", SEED);
        PatroniRun run = new PatroniRun(bench, EVENTS, SEED);

        String tables = run.run();

        System.out.print(tables);
        assertThat(run.account().violations())
                .as("patroni.seed %d%n%s", SEED, tables)
                .isEmpty();
        assertThat(run.report().medianShare())
                .as("patroni.seed %d%n%s", SEED, tables)
                .isGreaterThan(EVENTS < EVENTS_TO_JUDGE ? SHARE_OF_FEW : SHARE);
        assertThat(run.broker().log())
                .as("each commit waited for a standby")
                .contains("durability full (synced before accepted)")
                .doesNotContain("RT-1226");
    }
}

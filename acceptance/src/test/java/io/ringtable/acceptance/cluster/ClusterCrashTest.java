package io.ringtable.acceptance.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.acceptance.harness.Bench;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Kills, stops and freezes the nodes of a cluster and moves shards between them, while clients of several languages
 * publish and consume. Nothing accepted is lost. Nothing comes twice but flagged, or because its client sent it twice.
 * Each producer's messages keep their order. {@code acceptance/clustercrash.sh} strikes more often;
 * {@code -Dcluster.seed=…} repeats what a run chose.
 */
class ClusterCrashTest {
    private static final int BLOWS = Integer.getInteger("cluster.events", 3);
    private static final long SEED = Long.getLong("cluster.seed", System.nanoTime());

    @RegisterExtension
    final Bench bench = new Bench();

    @Test
    void everyMessageIsAccountedForWhateverBecomesOfTheNodes() throws Exception {
        List<Language> languages = Language.installed();
        ClusterRun run = new ClusterRun(bench, languages, BLOWS, SEED);
        System.out.printf("cluster.seed %d, languages %s%n", SEED, languages);

        String tables = run.run();

        System.out.print(tables);
        assertThat(run.account().violations())
                .as("cluster.seed %d%n%s", SEED, tables)
                .isEmpty();
    }
}

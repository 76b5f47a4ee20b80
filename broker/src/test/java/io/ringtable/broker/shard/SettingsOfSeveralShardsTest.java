package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.setting.Setting;
import io.ringtable.broker.setting.SettingKind;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An administrator is told that a setting counts when it counts in every shard. */
class SettingsOfSeveralShardsTest {
    private static final Setting POLICY =
            new Setting(SettingKind.POLICY, "work.#", "{}", "an administrator", Instant.EPOCH);

    @TempDir
    Path files;

    private SteppedHomes node;

    @BeforeEach
    void open() {
        node = new SteppedHomes(files, 3);
        node.start(node.stored());
    }

    @AfterEach
    void close() {
        node.close();
    }

    private void countsOnceTheOthersHaveHeard(CompletionStage<Void> asked) {
        node.shards.get(0).run();
        node.shards.get(1).run();
        assertThat(asked.toCompletableFuture()).isNotDone();
        node.await(asked);
    }

    @Test
    void theAnswerWaitsForAllShards() {
        countsOnceTheOthersHaveHeard(node.homes.catalog().putSetting(POLICY));
        countsOnceTheOthersHaveHeard(node.homes.catalog().deleteSetting(SettingKind.POLICY, "work.#"));
    }

    @Test
    void aShardThatIsAwayKeepsNobodyWaiting() {
        node.leave(2);
        node.await(node.homes.catalog().putSetting(POLICY));
    }
}

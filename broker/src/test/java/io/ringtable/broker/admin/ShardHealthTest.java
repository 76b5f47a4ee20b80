package io.ringtable.broker.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.status.BrokerState;
import io.ringtable.broker.status.BrokerStatus;
import io.ringtable.broker.store.StoreLimits;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/** Health says what an accepted message can rely on, and is up either way: it was asked for. */
class ShardHealthTest {
    @Test
    void namesDelayedDurability() {
        Health health = health(new StoreLimits("SQL Server 2022", 1, 1, 1, false, "DELAYED_DURABILITY = FORCED"));
        assertThat(health.getStatus()).isEqualTo(Status.UP);
        assertThat(health.getDetails())
                .containsEntry(
                        "durability",
                        "DELAYED (DELAYED_DURABILITY = FORCED): accepted messages can be lost in a crash");
    }

    @Test
    void saysFullWhereCommitsWaitForTheLog() {
        assertThat(health(new StoreLimits("SQLite", 1, 1, 1, true, null)).getDetails())
                .containsEntry("durability", "full (synced before accepted)");
    }

    private static Health health(StoreLimits limits) {
        BrokerStatus status = new BrokerStatus(
                new BrokerState(BrokerState.Phase.ACTIVE, "serving"),
                limits.engine(),
                limits.durability(),
                limits.delayed() != null,
                "node",
                null,
                null);
        return new ShardHealth(() -> status, () -> null, () -> null).health();
    }
}

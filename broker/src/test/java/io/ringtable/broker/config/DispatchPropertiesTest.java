package io.ringtable.broker.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.TestSettings;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;

class DispatchPropertiesTest {

    @Test
    void memoryFollowsFromTheHeap() {
        assertThat(TestSettings.of().dispatch().memoryBytesMax().toBytes())
                .isEqualTo(Runtime.getRuntime().maxMemory() / 8);
    }

    @Test
    void shardsDivideTheMemoryAndWhatMayWaitForFlushes() {
        TestSettings settings = TestSettings.of(
                "ringtable.dispatch.memory-bytes-max", "12MB", "ringtable.commit.inbox-bytes-max", "64MB");
        assertThat(settings.dispatch().share(4).memoryBytesMax()).isEqualTo(DataSize.ofMegabytes(3));
        assertThat(settings.dispatch().share(64).memoryBytesMax()).isEqualTo(DataSize.ofMegabytes(1));
        assertThat(settings.dispatch().share(1)).isEqualTo(settings.dispatch());
        assertThat(settings.commit().share(16).inboxBytesMax()).isEqualTo(DataSize.ofMegabytes(4));
        assertThat(settings.commit().share(1)).isEqualTo(settings.commit());
    }

    @Test
    void aFractionAboveABoundIsRefused() {
        assertThatThrownBy(() -> TestSettings.of("ringtable.dispatch.redelivery-delay-multiplier", 100.5)
                        .dispatch())
                .hasMessageStartingWith("RT-1002 ringtable.dispatch.redelivery-delay-multiplier=100.5 is not between");
    }

    @Test
    void aPolicyCanLeaveTheDeadLetterQueueAwayButNotEmpty() {
        TestSettings policy = TestSettings.of("ringtable.dispatch.addresses[0].match", "orders.#");
        assertThat(policy.dispatch().addresses().get(0).deadLetterQueue()).isNull();
        assertThatThrownBy(() -> policy.with("ringtable.dispatch.addresses[0].dead-letter-queue", "")
                        .dispatch())
                .hasMessageContaining("ringtable.dispatch.addresses[0].dead-letter-queue= is empty: name a queue");
    }

    @Test
    void anAffinityIsAShortNameOrNone() {
        TestSettings policy = TestSettings.of("ringtable.dispatch.addresses[0].match", "orders.#");
        for (String affinity : List.of("", "a", "x".repeat(100))) {
            assertThat(policy.with("ringtable.dispatch.addresses[0].affinity", affinity)
                            .dispatch()
                            .addresses())
                    .hasSize(1);
        }
        for (String affinity : List.of("x".repeat(101), "a\tb")) {
            assertThatThrownBy(() -> policy.with("ringtable.dispatch.addresses[0].affinity", affinity)
                            .dispatch())
                    .hasMessageContaining("ringtable.dispatch.addresses[0].affinity=")
                    .hasMessageContaining("is no affinity: write a name of at most 100 characters");
        }
    }
}

package io.ringtable.broker.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.TestSettings;
import org.junit.jupiter.api.Test;

class DispatchPropertiesTest {

    @Test
    void memoryFollowsFromTheHeap() {
        assertThat(TestSettings.of().dispatch().memoryBytesMax().toBytes())
                .isEqualTo(Runtime.getRuntime().maxMemory() / 8);
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
}

package io.ringtable.broker.message;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DeliveryKeyTest {
    @Test
    void theKeyIsNotShown() {
        assertThat(DeliveryKey.random()).hasToString("DeliveryKey[not shown]");
    }
}

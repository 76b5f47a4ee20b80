package io.ringtable.broker.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ClientOwnersTest {

    @Test
    void aGlobalSubscriptionHasAKeyOfItsOwnWhichEveryStoreHolds() {
        assertThat(ClientOwners.keyOf("desk", "audit")).isEqualTo("desk");
        assertThat(ClientOwners.keyOf("", "audit")).isEqualTo("|global|audit");
        assertThat(ClientOwners.keyOf("", "n".repeat(392))).hasSize(400).endsWith("nnn");

        String one = ClientOwners.keyOf("", "n".repeat(393));
        String other = ClientOwners.keyOf("", "n".repeat(394));
        assertThat(one).hasSizeLessThanOrEqualTo(400).isNotEqualTo(other);
        assertThat(ClientOwners.keyOf("", "n".repeat(393))).isEqualTo(one);
    }
}

package io.ringtable.broker.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PropertyNamesTest {
    private final PropertyNames names = PropertyNames.ofBroker();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ringtable.data-dir",
                "ringtable.dataDir",
                "RINGTABLE_DATADIR",
                "RINGTABLE_DATA_DIR",
                "ringtable.amqp.tls.private-key",
                "RINGTABLE_AMQP_TLS_PRIVATEKEY",
                "ringtable.security.users[0].name",
                "ringtable.security.users[12].password",
                "RINGTABLE_SECURITY_USERS_0_NAME",
            })
    void knowsAPropertyInEveryFormThatIsBound(String name) {
        assertThat(names.isKnown(name)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "ringtable.amqp.prot, ringtable.amqp.port",
        "RINGTABLE_AMPQ_PORT, ringtable.amqp.port",
        "ringtable.store.user, ringtable.store.username",
        "ringtable.ring.capicity, ringtable.ring.capacity",
        "ringtable.security.users[0].pasword, ringtable.security.users[].password",
    })
    void suggestsTheNearestNameForOneThatDoesNotExist(String name, String meant) {
        assertThat(names.isKnown(name)).isFalse();
        assertThat(names.nearest(name)).isEqualTo(meant);
    }

    @Test
    void doesNotTakeAGroupForAProperty() {
        assertThat(names.isKnown("ringtable.amqp")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ringtable.amqp.sessions-max",
                "ringtable.amqp.parked-messages-max",
                "ringtable.amqp.parked-bytes-max",
                "ringtable.amqp.outbound-bytes-max",
                "ringtable.commit.inbox-works",
                "ringtable.commit.linger",
                "ringtable.commit.settle-delay",
                "RINGTABLE_COMMIT_INBOXWORKS"
            })
    void refusesAPropertyOfEarlierVersionsWithTheCure(String name) {
        assertThat(names.isKnown(name)).isFalse();
        assertThatThrownBy(() -> names.requireKnown(name, "a file"))
                .isInstanceOf(ConfigurationRefused.class)
                .hasMessageStartingWith("RT-1043 " + name + " (a file) is not a property any more")
                .hasMessageContaining("remove it");
    }

    @Test
    void noPropertyIsBothThereAndGone() {
        assertThat(names.names()).doesNotContainAnyElementsOf(RemovedNames.names());
    }
}

package io.ringtable.broker.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.TestSettings;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.util.unit.DataSize;

public class AmqpPropertiesTest {
    private static AmqpProperties with(Object... namesAndValues) {
        return TestSettings.of(namesAndValues).amqp();
    }

    @Test
    void defaultsFitTogether() {
        AmqpProperties defaults = Bound.of(AmqpProperties.class, Map.of());
        assertThat(defaults.host()).isEqualTo("127.0.0.1");
        assertThat(defaults.port()).isEqualTo(5672);
        assertThat(defaults.maxMessageSize()).isEqualTo(DataSize.ofMegabytes(16));
        assertThat(defaults.bufferedBytesMax()).isGreaterThanOrEqualTo(defaults.maxMessageSize());
        assertThat(defaults.heldBytesMax().toBytes())
                .isGreaterThanOrEqualTo(defaults.bufferedBytesMax().toBytes()
                        + defaults.maxMessageSize().toBytes());
        assertThat(defaults.allHeldBytesMax()).isNotNull();
        assertThat(defaults.ioThreads()).isPositive();
        assertThat(defaults.tls().isConfigured()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    ringtable.amqp.port | 70000 | RT-1002 ringtable.amqp.port=70000 is not between 0 and 65535
                    ringtable.amqp.link-credit | 0 | RT-1002 ringtable.amqp.link-credit=0 is not between 1 and 1000000
                    ringtable.amqp.idle-timeout | 50ms | RT-1002 ringtable.amqp.idle-timeout=50ms is neither 0
                    ringtable.amqp.handshake-timeout | 0ms | RT-1002 ringtable.amqp.handshake-timeout=0ms is not between
                    ringtable.amqp.buffered-bytes-max | 1KB | RT-1112 ringtable.amqp.buffered-bytes-max=1024B is less
                    ringtable.amqp.held-bytes-max | 1KB | RT-4323 ringtable.amqp.held-bytes-max=1024B is less than
                    """)
    void refusesWhatCannotBeByTheNameOfItsProperty(String name, String value, String refusal) {
        assertThatThrownBy(() -> with(name, value))
                .isInstanceOf(ConfigurationRefused.class)
                .hasMessageStartingWith(refusal);
    }

    @Test
    void zeroSwitchesTheIdleTimeoutOff() {
        assertThat(with("ringtable.amqp.idle-timeout", 0).idleTimeout()).isZero();
    }

    @Test
    void whatAConnectionMayHoldFollowsFromWhatItMayBuffer() {
        AmqpProperties small = with(
                "ringtable.amqp.max-message-size", "1MB",
                "ringtable.amqp.buffered-bytes-max", "2MB",
                "ringtable.amqp.transaction-bytes-max", "1KB");
        assertThat(small.heldBytesMax()).isEqualTo(DataSize.ofBytes(4 * (2 << 20) + 1024));
    }

    @Test
    void tlsNeedsFilesThatAreThereAndOneKindOfThem() {
        assertThatThrownBy(() -> with("ringtable.amqp.tls.certificate", "/nowhere/cert.pem"))
                .hasMessageContaining("RT-1122 ringtable.amqp.tls.certificate=/nowhere/cert.pem and"
                        + " ringtable.amqp.tls.private-key=null: both are needed");
        assertThatThrownBy(() -> with(
                        "ringtable.amqp.tls.certificate", "/nowhere/cert.pem",
                        "ringtable.amqp.tls.private-key", "/nowhere/key.pem"))
                .hasMessageContaining("RT-1123 ringtable.amqp.tls.certificate=/nowhere/cert.pem cannot be read");
        assertThatThrownBy(() -> with(
                        "ringtable.amqp.tls.certificate", "/nowhere/cert.pem",
                        "ringtable.amqp.tls.key-store", "/nowhere/store.p12"))
                .hasMessageContaining("RT-1121");
    }
}

package io.ringtable.broker.amqp.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

public class AmqpSettingsTest {

    @Test
    public void defaultsAreValidAndListenOnLoopback() {
        AmqpSettings settings = AmqpSettings.defaults();
        assertThat(settings.host()).isEqualTo("127.0.0.1");
        assertThat(settings.port()).isEqualTo(5672);
        assertThat(settings.maxMessageSize()).isEqualTo(16 << 20);
    }

    @Test
    public void whatIsOutOfRangeIsRefusedWithNameValueAndBound() {
        assertThatThrownBy(() -> AmqpSettings.builder().port(70_000).build())
                .hasMessageContaining("RT-1102 amqp.port=70000 is outside 0 to 65535");
        assertThatThrownBy(() -> AmqpSettings.builder().linkCredit(0).build())
                .hasMessageContaining("RT-1111 amqp.link-credit=0");
        assertThatThrownBy(() -> AmqpSettings.builder().bufferedBytesMax(1).build())
                .hasMessageContaining("RT-1112 amqp.buffered-bytes-max=1 < amqp.max-message-size=16777216: raise");
    }

    @Test
    public void aMissingCertificateIsNamed() {
        assertThatThrownBy(() -> TlsSettings.pem(Path.of("/nowhere/cert.pem"), Path.of("/nowhere/key.pem")))
                .hasMessageContaining("RT-1123 amqp.tls.certificate=/nowhere/cert.pem cannot be read");
        assertThatThrownBy(() -> new TlsSettings(null, null, null, null)).hasMessageContaining("RT-1121");
    }
}

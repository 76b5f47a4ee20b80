package io.ringtable.broker.amqp.management;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.amqp.encoding.MessageFacts;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.wire.Encoded;
import io.ringtable.wire.MalformedMessage;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.ApplicationProperties;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestReaderTest {
    private final RequestReader reader = new RequestReader(new MessageFacts(MessageTraces.OFF));

    private static byte[] encoded(Consumer<Properties> change) {
        Properties properties = new Properties();
        properties.setSubject("GET");
        properties.setTo("/addresses");
        properties.setReplyTo("$me");
        change.accept(properties);
        return Encoded.message(properties, new AmqpValue<>("a body"));
    }

    private Request read(Consumer<Properties> change) throws MalformedMessage {
        return reader.read(encoded(change));
    }

    @Test
    void readsWhatAMessageAsksFor() throws MalformedMessage {
        Request request = read(properties -> properties.setTo("/addresses?limit=10"));
        assertThat(request.method()).isEqualTo("GET");
        assertThat(request.target()).isEqualTo("/addresses?limit=10");
        assertThat(request.replyTo()).isEqualTo("$me");
        assertThat(request.correlationId()).containsExactly(0x40);
    }

    @ParameterizedTest
    @ValueSource(strings = {"$management", "/management", "queue://$management"})
    void takesThePathFromAPropertyWhereToNamesTheNode(String to) throws MalformedMessage {
        Properties properties = new Properties();
        properties.setSubject("DELETE");
        properties.setTo(to);
        properties.setReplyTo("temporary:1");
        byte[] encoded =
                Encoded.message(properties, new ApplicationProperties(Map.of("other", 1, "path", "/addresses/orders")));
        assertThat(reader.read(encoded).target()).isEqualTo("/addresses/orders");
    }

    @Test
    void remembersNothingOfTheRequestBefore() throws MalformedMessage {
        read(properties -> properties.setMessageId("first"));
        assertThat(read(properties -> {}).correlationId()).containsExactly(0x40);
        assertThatThrownBy(() -> read(properties -> properties.setReplyTo(null)))
                .isInstanceOf(MalformedMessage.class)
                .hasMessageContaining("reply-to");
    }

    @Test
    void prefersTheMessageIdToTheCorrelationId() throws MalformedMessage {
        byte[] id = read(properties -> {
                    properties.setMessageId("a");
                    properties.setCorrelationId("b");
                })
                .correlationId();
        assertThat(id).containsExactly(0xa1, 1, 'a');
        assertThat(read(properties -> properties.setCorrelationId("b")).correlationId())
                .containsExactly(0xa1, 1, 'b');
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            get   | /addresses | $me | its method
                  | /addresses | $me | its method
            GET   | addresses  | $me | its path
            GET   |            | $me | its path
            GET   | /addresses |     | reply-to
            """)
    void refusesWhatLacksSomething(String method, String path, String replyTo, String what) {
        assertThatThrownBy(() -> read(properties -> {
                    properties.setSubject(method);
                    properties.setTo(path);
                    properties.setReplyTo(replyTo);
                }))
                .isInstanceOfSatisfying(
                        MalformedMessage.class, e -> assertThat(e.code()).isEqualTo("RT-4391"))
                .hasMessageContaining(what);
    }

    @Test
    void refusesAnIdAndAPathThatAreTooLong() throws MalformedMessage {
        String longest = "i".repeat(RequestReader.ID_BYTES_MAX - 5); // behind a constructor and a length of 4 bytes
        assertThat(read(properties -> properties.setMessageId(longest)).correlationId())
                .hasSize(RequestReader.ID_BYTES_MAX);
        assertThatThrownBy(() -> read(properties -> properties.setMessageId(longest + "i")))
                .hasMessageContaining("message-id");
        String path = "/" + "p".repeat(RequestReader.TARGET_BYTES_MAX - 1);
        assertThat(read(properties -> properties.setTo(path)).target()).isEqualTo(path);
        assertThatThrownBy(() -> read(properties -> properties.setTo(path + "p")))
                .hasMessageContaining("strings of");
    }

    @Test
    void refusesWhatIsNoMessage() {
        assertThatThrownBy(() -> reader.read(new byte[] {1, 2, 3})).isInstanceOf(MalformedMessage.class);
        assertThatThrownBy(() -> reader.read(new byte[0])).isInstanceOf(MalformedMessage.class);
    }
}

package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.wire.Encoded;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.ApplicationProperties;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The management node as clients of RabbitMQ use it: a pair of links, and {@code $me}. */
@Timeout(120)
class ManagementPairScenarioTest extends ManagementScenario {
    @Test
    void aPairOfLinksOfOneNameAsksAndHears() throws Exception {
        peer.expectAttach()
                .ofReceiver()
                .withProperty("paired", true)
                .withTarget()
                .withAddress("/management");
        peer.expectFlow().withLinkCredit(REQUESTS);
        peer.remoteAttach()
                .ofSender()
                .withName("management-link-pair")
                .withHandle(0)
                .withInitialDeliveryCount(0)
                .withSenderSettleModeSettled()
                .withProperty("paired", true)
                .withSource()
                .withAddress("/management")
                .and()
                .withTarget()
                .withAddress("/management")
                .and()
                .now();
        done(peer);
        peer.expectAttach().ofSender().withProperty("paired", true).withSource().withAddress("/management");
        peer.remoteAttach()
                .ofReceiver()
                .withName("management-link-pair")
                .withHandle(1)
                .withProperty("paired", true)
                .withSource()
                .withAddress("/management")
                .and()
                .withTarget()
                .withAddress("/management")
                .and()
                .now();
        done(peer);
        flow(1, 0, 100);

        UUID id = UUID.randomUUID();
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("kind", "topic");
        expectAnswer(1);
        peer.remoteTransfer()
                .withHandle(0)
                .withDeliveryId(0)
                .withDeliveryTag(new byte[] {0})
                .withMessageFormat(0)
                .withSettled(true)
                .withPayload(request("PUT", "/addresses/prices", id, new AmqpValue<>(body)))
                .now();
        done(peer);
        byte[] answer = nextAnswer();
        assertThat(status(answer)).isEqualTo("201");
        assertThat(Encoded.section(answer, Properties.class).getCorrelationId()).isEqualTo(id);
        assertThat(Encoded.section(answer, Properties.class).getContentType()).isEqualTo("application/json");
        assertThat(broker.shard().lookup().find("prices").isQueue()).isFalse();
    }

    @Test
    void anAnswerRepeatsTheIdThatThereIsAndDeletingIsAnsweredWithANull() throws Exception {
        attachRequests(0, "ask", "$management");
        attachAnswers(1, "hear", 0);
        flow(1, 0, 100);
        long number = 1L << 63; // a ulong beyond a long
        Object unsigned = org.apache.qpid.protonj2.types.UnsignedLong.valueOf(number);
        expectAccepted(0);
        expectAnswer(1);
        publish(peer, 0, 0, request("PUT", "/addresses/orders", unsigned, new AmqpValue<>("{\"kind\":\"queue\"}")));
        done(peer);
        assertThat(Encoded.section(nextAnswer(), Properties.class).getCorrelationId())
                .isEqualTo(unsigned);

        expectAccepted(1);
        expectCredit();
        expectAnswer(1);
        publish(peer, 0, 1, request("DELETE", "/addresses/orders", null));
        done(peer);
        byte[] answer = nextAnswer();
        assertThat(status(answer)).isEqualTo("204");
        assertThat(Encoded.section(answer, Properties.class).getCorrelationId()).isEqualTo("the other id");
        assertThat(Encoded.section(answer, AmqpValue.class).getValue()).isNull();
        assertThat(broker.shard().lookup().find("orders")).isNull();
    }

    @Test
    void aLinkWithoutATargetAsksAndHearsOnTheLinkFromTheNode() throws Exception {
        peer.expectAttach().ofReceiver();
        peer.expectFlow();
        peer.remoteAttach()
                .ofSender()
                .withName("relay")
                .withHandle(0)
                .withInitialDeliveryCount(0)
                .withSource()
                .withAddress("me")
                .and()
                .withTarget()
                .and()
                .now();
        done(peer);
        attachAnswers(1, "hear", 0);
        flow(1, 0, 10);
        Properties properties = new Properties();
        properties.setSubject("GET");
        properties.setTo("$management");
        properties.setReplyTo("$me");
        expectAccepted(0);
        expectAnswer(1);
        publish(
                peer,
                0,
                0,
                Encoded.message(properties, new ApplicationProperties(Map.of("path", "/addresses?limit=1"))));
        done(peer);
        byte[] answer = nextAnswer();
        assertThat(status(answer)).isEqualTo("200");
        assertThat(json(answer).path("items").isArray()).isTrue();
    }

    @Test
    void anAnswerTakesTheLinkOfTheSameNameBeforeOthers() throws Exception {
        attachAnswers(0, "other", 0);
        attachAnswers(1, "pair", 0);
        attachAnswers(2, "another", 0);
        attachRequests(3, "pair", "$management");
        flow(0, 0, 10);
        flow(1, 0, 10);
        flow(2, 0, 10);
        expectAccepted(0);
        expectAnswer(1);
        publish(peer, 3, 0, request("GET", "/whoami", "1"));
        done(peer);
        assertThat(status(nextAnswer())).isEqualTo("200");
    }

    @Test
    void operatorsSeeTheLinksOfThePair() throws Exception {
        attachRequests(0, "pair", "$management");
        attachAnswers(1, "pair", 0);
        flow(1, 0, 10);
        expectAccepted(0);
        expectAnswer(1);
        publish(peer, 0, 0, request("GET", "/links", "1"));
        done(peer);
        List<String> links = new ArrayList<>();
        json(nextAnswer())
                .path("items")
                .forEach(link -> links.add(link.path("role").asString() + " "
                        + link.path("address").asString()));
        assertThat(links).containsExactlyInAnyOrder("publisher $management", "consumer $management");
    }

    @Test
    void aDrainIsAnsweredWhenNoAnswerWaits() {
        attachAnswers(0, "hear", 0);
        peer.expectFlow().withHandle(0).withLinkCredit(0).withDeliveryCount(5).withDrain(true);
        peer.remoteFlow()
                .withHandle(0)
                .withDeliveryCount(0)
                .withLinkCredit(5)
                .withDrain(true)
                .withNextIncomingId(0)
                .withIncomingWindow(1_000)
                .withNextOutgoingId(1)
                .withOutgoingWindow(1_000)
                .now();
        done(peer);
    }
}

package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.CoreMatchers.containsString;
import static org.hamcrest.CoreMatchers.nullValue;

import io.ringtable.wire.Encoded;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.qpid.protonj2.types.messaging.AmqpSequence;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.apache.qpid.protonj2.types.messaging.Section;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The management node takes a bounded part of a connection, and refuses what it could not answer. */
@Timeout(120)
class ManagementBoundsScenarioTest extends ManagementScenario {
    // ---- bounds

    @Test
    void aClientThatTakesNoAnswersGetsNoCreditUntilItDoes() throws Exception {
        attachRequests(0, "pair", "$management");
        attachAnswers(1, "pair", 0);
        Section<?> body = new AmqpValue<>("\"" + "x".repeat(60_000) + "\"");
        for (int i = 0; i < REQUESTS; i++) {
            expectAccepted(i);
            publish(peer, 0, i, request("GET", "/whoami", "id " + i, body));
            done(peer); // and no flow
        }
        assertThat(broker.counters().heldBytes.sum()).as("bytes that wait").isGreaterThan(REQUESTS * 50_000);
        for (int i = 0; i < REQUESTS; i++) {
            expectAnswer(1);
            if (i % 2 == 1) {
                peer.expectFlow().withHandle(0).withLinkCredit(i + 1);
            }
            flow(1, i, 1);
            done(peer);
            assertThat(Encoded.section(nextAnswer(), Properties.class).getCorrelationId())
                    .isEqualTo("id " + i);
        }
        assertThat(broker.counters().heldBytes.sum())
                .as("bytes that wait, told in steps of 64 KiB, and the links")
                .isLessThan(2 * 64 * 1024);
    }

    @Test
    void anAnswerWhoseLinkEndsIsDroppedAndItsCreditComesBack() {
        attachRequests(0, "pair", "$management");
        attachAnswers(1, "pair", 0);
        for (int i = 0; i < 2; i++) {
            expectAccepted(i);
            publish(peer, 0, i, request("GET", "/whoami", "id"));
            done(peer);
        }
        peer.expectDetach().withHandle(1).withClosed(true).withError(nullValue());
        peer.expectFlow().withHandle(0).withLinkCredit(REQUESTS);
        peer.remoteDetach().withHandle(1).withClosed(true).now();
        done(peer);
    }

    @Test
    void anAnswerThatIsLargerThanTheClientTakesIsAnError() throws Exception {
        attachRequests(0, "pair", "$management");
        attachAnswers(1, "pair", 4_096);
        flow(1, 0, 100);
        for (int i = 0; i < 40; i++) {
            expectAccepted(i);
            if (i > 0) {
                expectCredit();
            }
            expectAnswer(1);
            publish(
                    peer,
                    0,
                    i,
                    request(
                            "PUT",
                            "/addresses/an.address.with.a.long.name." + i,
                            "id",
                            new AmqpValue<>("{\"kind\":\"queue\"}")));
            done(peer);
            assertThat(status(nextAnswer())).isEqualTo("201");
        }
        expectAccepted(40);
        expectCredit();
        expectAnswer(1);
        publish(peer, 0, 40, request("GET", "/addresses", "id"));
        done(peer);
        byte[] answer = nextAnswer();
        assertThat(status(answer)).isEqualTo("413");
        assertThat(json(answer).path("code").asString()).isEqualTo("RT-4393");
        assertThat(answer.length).isLessThan(4_096);
    }

    @Test
    void aConnectionHasFewLinksToTheNodeAndFewFromIt() {
        for (int i = 0; i < 8; i++) {
            attachRequests(i, "ask" + i, "$management");
            attachAnswers(10 + i, "hear" + i, 0);
        }
        peer.expectAttach().ofReceiver().withTarget(nullValue());
        peer.expectDetach()
                .withClosed(true)
                .withError("amqp:resource-limit-exceeded", containsString("RT-4398 a connection has at most 8 links"));
        peer.remoteAttach()
                .ofSender()
                .withName("one more")
                .withHandle(8)
                .withInitialDeliveryCount(0)
                .withSource()
                .withAddress("me")
                .and()
                .withTarget()
                .withAddress("$management")
                .and()
                .now();
        done(peer);
        peer.remoteDetach().withHandle(8).withClosed(true).now();
        close(0); // makes room
        attachRequests(0, "another", "$management");
    }

    @Test
    void aLinkThatTakesTooLittleForAnErrorIsRefused() {
        peer.expectAttach().ofSender().withSource(nullValue());
        peer.expectDetach()
                .withClosed(true)
                .withError("amqp:resource-limit-exceeded", containsString("RT-4398 a link from the management node"));
        askForAnswers(0, "small", 100);
        done(peer);
    }

    // ---- refused requests

    @Test
    void aRequestForMeWithoutALinkFromTheNodeIsRejectedAndNotDone() {
        attachRequests(0, "alone", "$management");
        peer.expectDisposition()
                .withFirst(0)
                .withSettled(true)
                .withState()
                .rejected("amqp:precondition-failed", containsString("RT-4394 reply-to is '$me'"));
        publish(peer, 0, 0, request("PUT", "/addresses/orders", "1", new AmqpValue<>("{\"kind\":\"queue\"}")));
        done(peer);
        assertThat(broker.shard().lookup().find("orders")).isNull();
    }

    @Test
    void aSettledRequestThatIsRefusedDetachesItsLink() {
        attachRequests(0, "alone", "$management");
        peer.expectDetach()
                .withHandle(0)
                .withClosed(true)
                .withError("amqp:precondition-failed", containsString("RT-4394"));
        peer.remoteTransfer()
                .withHandle(0)
                .withDeliveryId(0)
                .withDeliveryTag(new byte[] {0})
                .withMessageFormat(0)
                .withSettled(true)
                .withPayload(request("GET", "/whoami", "1"))
                .now();
        done(peer);
    }

    @Test
    void whatIsNoMessageIsRejectedAndABodyWithoutAFormInJsonIsAnswered() throws Exception {
        attachRequests(0, "pair", "$management");
        attachAnswers(1, "pair", 0);
        flow(1, 0, 100);
        peer.expectDisposition()
                .withFirst(0)
                .withSettled(true)
                .withState()
                .rejected("amqp:decode-error", containsString("RT-4043"));
        publish(peer, 0, 0, "no message".getBytes(StandardCharsets.UTF_8));
        done(peer);
        expectAccepted(1);
        expectCredit();
        expectAnswer(1);
        publish(peer, 0, 1, request("PUT", "/addresses/orders", "1", new AmqpSequence<>(List.of("queue"))));
        done(peer);
        byte[] answer = nextAnswer();
        assertThat(status(answer)).isEqualTo("400");
        assertThat(json(answer).path("code").asString()).isEqualTo("RT-4396");
        expectAccepted(2);
        expectCredit();
        expectAnswer(1);
        publish(peer, 0, 2, request("GET", "/addresses?filter=%zz", "2"));
        done(peer);
        assertThat(json(nextAnswer()).path("message").asString()).contains("%zz");
    }

    @Test
    void anUnknownPathIsAnswered() throws Exception {
        attachRequests(0, "pair", "$management");
        attachAnswers(1, "pair", 0);
        flow(1, 0, 100);
        expectAccepted(0);
        expectAnswer(1);
        publish(peer, 0, 0, request("GET", "/nothing/of/the/kind", "1"));
        done(peer);
        assertThat(status(nextAnswer())).isEqualTo("404");
    }
}

package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.wire.Encoded;
import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.test.driver.codec.primitives.UnsignedLong;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.apache.qpid.protonj2.types.messaging.Section;
import org.hamcrest.CustomMatcher;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Requests to the management node, frame by frame, and the answers to {@code $me}. */
abstract class ManagementScenario extends FrameScenario {
    /** The requests of one link that may have no answer. */
    static final int REQUESTS = 8;

    private final BlockingQueue<byte[]> answers = new LinkedBlockingQueue<>();

    final void attachRequests(int handle, String name, String node) {
        peer.expectAttach().ofReceiver().withTarget().withAddress(node);
        peer.expectFlow().withLinkCredit(REQUESTS);
        peer.remoteAttach()
                .ofSender()
                .withName(name)
                .withHandle(handle)
                .withInitialDeliveryCount(0)
                .withSource()
                .withAddress("me")
                .and()
                .withTarget()
                .withAddress(node)
                .and()
                .now();
        done(peer);
    }

    final void attachAnswers(int handle, String name, long maxMessageSize) {
        peer.expectAttach()
                .ofSender()
                .withSenderSettleModeSettled()
                .withSource()
                .withAddress("$management");
        askForAnswers(handle, name, maxMessageSize);
        done(peer);
    }

    final void askForAnswers(int handle, String name, long maxMessageSize) {
        peer.remoteAttach()
                .ofReceiver()
                .withName(name)
                .withHandle(handle)
                .withMaxMessageSize(UnsignedLong.valueOf(maxMessageSize))
                .withSource()
                .withAddress("$management")
                .and()
                .withTarget()
                .withAddress("me")
                .and()
                .now();
    }

    static byte[] request(String method, String path, Object messageId, Section<?>... body) {
        Properties properties = new Properties();
        properties.setSubject(method);
        properties.setTo(path);
        properties.setReplyTo("$me");
        if (messageId != null) {
            properties.setMessageId(messageId);
        } else {
            properties.setCorrelationId("the other id");
        }
        return body.length == 0 ? Encoded.message(properties) : Encoded.message(properties, body[0]);
    }

    final void expectAccepted(int deliveryId) {
        peer.expectDisposition()
                .withFirst(deliveryId)
                .withSettled(true)
                .withState()
                .accepted();
    }

    /** Credit for the request before: it comes when a quarter of the link's is used, the request now included. */
    final void expectCredit() {
        peer.expectFlow().withHandle(0).withLinkCredit(REQUESTS - 1);
    }

    final void expectAnswer(int handle) {
        peer.expectTransfer()
                .withHandle(handle)
                .withSettled(true)
                .withPayload(new CustomMatcher<ByteBuffer>("an answer") {
                    @Override
                    public boolean matches(Object payload) {
                        byte[] bytes = new byte[((ByteBuffer) payload).remaining()];
                        ((ByteBuffer) payload).duplicate().get(bytes);
                        return answers.add(bytes);
                    }
                });
    }

    final byte[] nextAnswer() throws InterruptedException {
        byte[] answer = answers.poll(60, TimeUnit.SECONDS);
        assertThat(answer).as("answer").isNotNull();
        return answer;
    }

    static String status(byte[] answer) {
        return Encoded.section(answer, Properties.class).getSubject();
    }

    static JsonNode json(byte[] answer) {
        return JsonMapper.shared()
                .readTree((String) Encoded.section(answer, AmqpValue.class).getValue());
    }
}

package io.ringtable.broker.amqp;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.qpid.protonj2.test.driver.ProtonTestClient;
import org.hamcrest.CoreMatchers;

/** A client that sends and expects single frames, with a session on channel 0. */
final class FramePeer {
    private static final int SECONDS = 60;

    private FramePeer() {}

    static ProtonTestClient open(TestBroker broker, String container) throws Exception {
        ProtonTestClient client = new ProtonTestClient();
        client.queueClientSaslAnonymousConnect();
        client.remoteOpen().withContainerId(container).queue();
        client.expectOpen().withOfferedCapabilities(CoreMatchers.anything()).withMaxFrameSize(65_536);
        client.remoteBegin()
                .withNextOutgoingId(0)
                .withIncomingWindow(1_000)
                .withOutgoingWindow(1_000)
                .queue();
        client.expectBegin();
        client.connect("127.0.0.1", broker.port());
        done(client);
        return client;
    }

    /** Everything that was expected has come, and nothing else. */
    static void done(ProtonTestClient client) {
        client.waitForScriptToComplete(SECONDS, TimeUnit.SECONDS);
    }

    /** A sender to the queue. @return the incoming window of the session then, in frames */
    static long attachSender(ProtonTestClient client, int handle, String queue, int credit) {
        AtomicLong window = new AtomicLong();
        client.expectAttach().ofReceiver().withTarget().withAddress(queue);
        client.expectFlow()
                .withLinkCredit(credit)
                .withCapture(flow -> window.set(flow.getIncomingWindow().longValue()));
        client.remoteAttach()
                .ofSender()
                .withName("to-" + queue)
                .withHandle(handle)
                .withInitialDeliveryCount(0)
                .withSource()
                .withAddress("me")
                .and()
                .withTarget()
                .withAddress(queue)
                .withCapabilities("queue")
                .and()
                .now();
        done(client);
        return window.get();
    }

    /** A receiver from the queue, without credit. */
    static void attachReceiver(ProtonTestClient client, String name, int handle, String queue) {
        client.expectAttach().ofSender().withSource().withAddress(queue);
        client.remoteAttach()
                .ofReceiver()
                .withName(name)
                .withHandle(handle)
                .withSource()
                .withAddress(queue)
                .withCapabilities("queue")
                .and()
                .withTarget()
                .withAddress("me")
                .and()
                .now();
        done(client);
    }

    /** One frame of an unsettled message. @param more whether it goes on */
    static void transfer(ProtonTestClient client, int handle, int deliveryId, boolean more, byte[] payload) {
        client.remoteTransfer()
                .withHandle(handle)
                .withDeliveryId(deliveryId)
                .withDeliveryTag(new byte[] {(byte) deliveryId})
                .withMessageFormat(0)
                .withSettled(false)
                .withMore(more)
                .withPayload(payload)
                .now();
    }
}

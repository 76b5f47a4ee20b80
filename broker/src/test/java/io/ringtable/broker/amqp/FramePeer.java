package io.ringtable.broker.amqp;

import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.test.driver.ProtonTestClient;
import org.hamcrest.CoreMatchers;

/** A client that sends and expects single frames, with a session on channel 0. */
final class FramePeer {
    private static final int SECONDS = 10;

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
}

package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.CoreMatchers.containsString;

import io.ringtable.wire.Encoded;
import org.apache.qpid.protonj2.test.driver.ProtonTestClient;
import org.apache.qpid.protonj2.test.driver.codec.messaging.TerminusDurability;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A link belongs to the connection of its container that attached it last (AMQP 1.0 section 2.6.1). */
@Timeout(120)
class StolenLinkScenarioTest extends FrameScenario {
    @Test
    void anotherConnectionOfTheContainerStealsALinkByItsName() throws Exception {
        attachReceiver(peer, "mine", 0, "stolen");
        peer.expectDetach().withClosed(true).withError("amqp:link:stolen", containsString("RT-4049"));
        try (ProtonTestClient second = open("peer")) {
            attachReceiver(second, "mine", 0, "stolen");
            done(peer);
        }
    }

    @Test
    void aSecondLinkOfTheSameNameOnTheSameSessionStealsTheFirst() {
        attachReceiver(peer, "twin", 0, "twins");
        peer.expectDetach().withHandle(0).withClosed(true).withError("amqp:link:stolen", containsString("RT-4049"));
        peer.expectAttach().ofSender().withSource().withAddress("twins");
        peer.remoteAttach()
                .ofReceiver()
                .withName("twin")
                .withHandle(1)
                .withSource()
                .withAddress("twins")
                .withCapabilities("queue")
                .and()
                .withTarget()
                .withAddress("me")
                .and()
                .now();
        done(peer);
        peer.remoteDetach().withHandle(0).withClosed(true).now();
        attachSender(peer, 2, "twins");
        peer.expectDisposition().withFirst(0).withSettled(true).withState().accepted();
        publish(peer, 2, 0, Encoded.text("for the second"));
        done(peer);
        peer.expectTransfer().withPayload(Encoded.text("for the second"));
        flow(1, 0, 1);
        done(peer);
    }

    @Test
    void aSecondLinkOfTheSameNameOnAnotherSessionStealsTheFirstOfThatSession() {
        int channel = 7;
        peer.expectBegin();
        peer.remoteBegin()
                .withNextOutgoingId(0)
                .withIncomingWindow(100)
                .withOutgoingWindow(100)
                .onChannel(channel)
                .now();
        done(peer);
        attachOn(channel, 0);
        peer.expectDetach().withHandle(0).withClosed(true).withError("amqp:link:stolen", containsString("RT-4049"));
        attachOn(channel, 1);
    }

    private void attachOn(int channel, int handle) {
        peer.expectAttach().ofSender().withSource().withAddress("twins");
        peer.remoteAttach()
                .ofReceiver()
                .withName("twin")
                .withHandle(handle)
                .withSource()
                .withAddress("twins")
                .withCapabilities("queue")
                .and()
                .withTarget()
                .withAddress("me")
                .and()
                .onChannel(channel)
                .now();
        done(peer);
    }

    @Test
    void aStolenDurableSubscriptionStays() throws Exception {
        attachDurable(peer);
        peer.expectDetach().withClosed(true).withError("amqp:link:stolen", containsString("RT-4049"));
        try (ProtonTestClient second = open("peer")) {
            attachDurable(second);
            done(peer);
            peer.remoteDetach().withHandle(0).withClosed(true).now();
            peer.expectEnd();
            peer.remoteEnd().now();
            done(peer);
            assertThat(broker.shard().lookup().find("peer", "kept")).isNotNull();
            second.expectDetach().withClosed(true);
            second.remoteDetach().withHandle(0).withClosed(true).now();
            done(second);
            assertThat(broker.shard().lookup().find("peer", "kept")).isNull();
        }
    }

    private static void attachDurable(ProtonTestClient client) {
        client.expectAttach().ofSender().withSource().withAddress("rates");
        client.remoteAttach()
                .ofReceiver()
                .withName("kept")
                .withHandle(0)
                .withSource()
                .withAddress("rates")
                .withCapabilities("topic")
                .withDurability(TerminusDurability.UNSETTLED_STATE)
                .and()
                .withTarget()
                .withAddress("me")
                .and()
                .now();
        done(client);
    }
}

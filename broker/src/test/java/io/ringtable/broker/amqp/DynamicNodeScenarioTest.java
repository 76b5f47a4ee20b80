package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.CoreMatchers.containsString;
import static org.hamcrest.CoreMatchers.nullValue;

import io.ringtable.wire.Encoded;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.qpid.protonj2.test.driver.ProtonTestClient;
import org.apache.qpid.protonj2.test.driver.codec.messaging.DeleteOnClose;
import org.apache.qpid.protonj2.test.driver.codec.messaging.DeleteOnNoMessages;
import org.hamcrest.CustomMatcher;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Addresses that a link makes for as long as it lives, and names that only they have. */
@Timeout(120)
class DynamicNodeScenarioTest extends FrameScenario {
    @Test
    void anUnknownTemporaryAddressIsRefusedByAttachingWithoutATarget() {
        peer.expectAttach().ofReceiver().withTarget(nullValue());
        peer.expectDetach().withClosed(true).withError("amqp:not-found", containsString("RT-4048"));
        peer.remoteAttach()
                .ofSender()
                .withName("late")
                .withHandle(0)
                .withInitialDeliveryCount(0)
                .withSource()
                .withAddress("me")
                .and()
                .withTarget()
                .withAddress("temporary:gone")
                .withCapabilities("temporary-queue")
                .and()
                .now();
        done(peer);
    }

    @Test
    void aNameThatOnlyTemporaryAddressesHaveIsNeverCreated() {
        peer.expectAttach().ofReceiver().withTarget(nullValue());
        peer.expectDetach().withClosed(true).withError("amqp:not-found", containsString("RT-2019"));
        peer.remoteAttach()
                .ofSender()
                .withName("late")
                .withHandle(0)
                .withInitialDeliveryCount(0)
                .withSource()
                .withAddress("me")
                .and()
                .withTarget()
                .withAddress("temporary:gone")
                .and()
                .now();
        done(peer);
    }

    @Test
    void aDynamicSourceIsATemporaryQueueThatOthersSendToAndOneConnectionReads() throws Exception {
        AtomicReference<String> made = new AtomicReference<>();
        peer.expectAttach()
                .ofSender()
                .withSource()
                .withDynamic(true)
                .withAddress(new CustomMatcher<String>("a temporary name") {
                    @Override
                    public boolean matches(Object name) {
                        made.set((String) name);
                        return name != null && made.get().startsWith("temporary:");
                    }
                });
        attachDynamicSource("replies", 0, new DeleteOnClose());
        String name = made.get();
        flow(0, 0, 10);
        try (ProtonTestClient other = open("other")) {
            attachSender(other, 0, name);
            other.expectDisposition().withFirst(0).withSettled(true).withState().accepted();
            peer.expectTransfer().withPayload(Encoded.text("a reply"));
            publish(other, 0, 0, Encoded.text("a reply"));
            done(other);
            done(peer);

            other.expectAttach().ofSender().withSource(nullValue());
            other.expectDetach().withClosed(true).withError("amqp:resource-locked", containsString("RT-4065"));
            other.remoteAttach()
                    .ofReceiver()
                    .withName("spy")
                    .withHandle(1)
                    .withSource()
                    .withAddress(name)
                    .and()
                    .withTarget()
                    .withAddress("me")
                    .and()
                    .now();
            done(other);

            close(0);
            assertThat(broker.shard().lookup().find(name)).isNull();
            other.expectDisposition()
                    .withFirst(1)
                    .withSettled(true)
                    .withState()
                    .rejected("amqp:not-found", containsString("RT-2010"));
            publish(other, 0, 1, Encoded.text("too late"));
            done(other);
        }
    }

    @Test
    void aDynamicNodeThatIsToOutliveItsLinkIsRefused() {
        peer.expectAttach().ofSender().withSource(nullValue());
        peer.expectDetach().withClosed(true).withError("amqp:not-implemented", containsString("RT-4062"));
        attachDynamicSource("outlives", 0, new DeleteOnNoMessages());
    }

    private void attachDynamicSource(String link, int handle, Object lifetime) {
        peer.remoteAttach()
                .ofReceiver()
                .withName(link)
                .withHandle(handle)
                .withSource()
                .withDynamic(true)
                .withDynamicNodeProperties(Map.of("lifetime-policy", lifetime))
                .and()
                .withTarget()
                .withAddress("me")
                .and()
                .now();
        done(peer);
    }
}

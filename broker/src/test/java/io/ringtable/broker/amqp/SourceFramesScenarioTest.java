package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.CoreMatchers.containsString;
import static org.hamcrest.CoreMatchers.nullValue;

import io.ringtable.broker.message.AddressKind;
import io.ringtable.wire.Encoded;
import java.util.List;
import java.util.Map;
import org.apache.qpid.protonj2.test.driver.ProtonTestClient;
import org.apache.qpid.protonj2.test.driver.codec.messaging.TerminusDurability;
import org.apache.qpid.protonj2.test.driver.codec.primitives.Symbol;
import org.apache.qpid.protonj2.test.driver.codec.primitives.UnknownDescribedType;
import org.apache.qpid.protonj2.test.driver.codec.primitives.UnsignedLong;
import org.hamcrest.CustomMatcher;
import org.hamcrest.Matcher;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the requests of a link's source: shared subscriptions, no-local, the kind of its address. */
@Timeout(120)
class SourceFramesScenarioTest extends FrameScenario {
    @Test
    void theLinksOfASharedSubscriptionAreNamedUpToTheBarAndTheLastToCloseEndsIt() {
        attachShared("board", 0, "shared");
        attachShared("board|2", 1, "shared");
        assertThat(broker.shard().lookup().find("peer", "board").shared()).isTrue();
        attachShared("board|global", 2, "shared", "global");
        assertThat(broker.shard().lookup().find("", "board").shared()).isTrue();
        close(0);
        assertThat(broker.shard().lookup().find("peer", "board")).isNotNull();
        close(1);
        assertThat(broker.shard().lookup().find("peer", "board")).isNull();
        assertThat(broker.shard().lookup().find("", "board")).isNotNull();
    }

    private void attachShared(String link, int handle, String... capabilities) {
        peer.expectAttach().ofSender().withName(link).withSource().withAddress("topic://rates");
        remoteAttachShared(link, handle, capabilities);
        done(peer);
    }

    private void remoteAttachShared(String link, int handle, String... capabilities) {
        peer.remoteAttach()
                .ofReceiver()
                .withName(link)
                .withHandle(handle)
                .withSource()
                .withAddress("topic://rates")
                .withCapabilities(capabilities)
                .withDurability(TerminusDurability.UNSETTLED_STATE)
                .and()
                .withTarget()
                .withAddress("me")
                .and()
                .now();
    }

    @Test
    void globalWithoutSharedAndAnEmptyNameAreRefused() {
        peer.expectAttach().ofSender().withSource(nullValue());
        peer.expectDetach().withClosed(true).withError("amqp:invalid-field", containsString("RT-4056"));
        remoteAttachShared("board", 0, "global");
        done(peer);
        peer.remoteDetach().withHandle(0).withClosed(true).now();
        peer.expectAttach().ofSender().withSource(nullValue());
        peer.expectDetach().withClosed(true).withError("amqp:invalid-field", containsString("RT-4056"));
        remoteAttachShared("|global", 1, "shared", "global");
        done(peer);
    }

    @Test
    void noLocalIsObeyedOnTopicsAndOnlyWhatIsObeyedIsAnswered() throws Exception {
        attachNoLocal("topic://rates", new CustomMatcher<Object>("no-local under the client's key alone") {
            @Override
            public boolean matches(Object filters) {
                return filters instanceof Map<?, ?> map && map.toString().contains("mine") && map.size() == 1;
            }
        });
        flow(0, 0, 10);
        attachTopicSender(peer, 1);
        peer.expectDisposition().withFirst(0).withSettled(true).withState().accepted();
        publish(peer, 1, 0, Encoded.text("own"));
        done(peer);
        try (ProtonTestClient other = open("other")) {
            attachTopicSender(other, 0);
            peer.expectTransfer().withPayload(Encoded.text("another's"));
            other.expectDisposition().withFirst(0).withSettled(true).withState().accepted();
            publish(other, 0, 0, Encoded.text("another's"));
            done(other);
            done(peer);
        }
    }

    @Test
    void noLocalMeansNothingOnAQueueAndTheAnswerSaysSo() {
        attachNoLocal("queue://work", nullValue());
    }

    @Test
    void noLocalIsRefusedWhereItCannotBeObeyed() {
        peer.expectAttach().ofSender().withSource(nullValue());
        peer.expectDetach().withClosed(true).withError("amqp:not-implemented", containsString("RT-4055"));
        remoteAttachNoLocal("topic://rates", "shared");
        done(peer);
    }

    private void attachNoLocal(String address, Matcher<?> answered) {
        peer.expectAttach().ofSender().withSource().withAddress(address).withFilter(answered);
        remoteAttachNoLocal(address);
        done(peer);
    }

    private void remoteAttachNoLocal(String address, String... capabilities) {
        var source = peer.remoteAttach()
                .ofReceiver()
                .withName("no-local")
                .withHandle(0)
                .withSource()
                .withAddress(address)
                .withFilterMap(Map.of(
                        "mine",
                        new UnknownDescribedType(UnsignedLong.valueOf(0x0000468C00000003L), List.of()),
                        "theirs",
                        new UnknownDescribedType(Symbol.valueOf("example:filter"), "x")));
        if (capabilities.length > 0) {
            source.withCapabilities(capabilities);
        }
        source.and().withTarget().withAddress("me").and().now();
    }

    private static void attachTopicSender(ProtonTestClient client, int handle) {
        client.expectAttach().ofReceiver().withTarget().withAddress("topic://rates");
        client.expectFlow().withLinkCredit(CREDIT);
        client.remoteAttach()
                .ofSender()
                .withName("to-rates")
                .withHandle(handle)
                .withInitialDeliveryCount(0)
                .withSource()
                .withAddress("me")
                .and()
                .withTarget()
                .withAddress("topic://rates")
                .and()
                .now();
        done(client);
    }

    @Test
    void prefixesDecideTheKindWhereNothingElseDoes() {
        peer.expectAttach().ofSender().withSource().withAddress("topic://rates");
        peer.remoteAttach()
                .ofReceiver()
                .withName("by-prefix")
                .withHandle(0)
                .withSource()
                .withAddress("topic://rates")
                .and()
                .withTarget()
                .withAddress("me")
                .and()
                .now();
        done(peer);
        assertThat(broker.shard().lookup().find("rates").kind()).isEqualTo(AddressKind.TOPIC);
    }
}

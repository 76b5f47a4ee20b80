package io.ringtable.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.qpid.protonj2.test.driver.codec.messaging.Source;
import org.apache.qpid.protonj2.test.driver.codec.messaging.TerminusDurability;
import org.apache.qpid.protonj2.test.driver.codec.messaging.TerminusExpiryPolicy;
import org.apache.qpid.protonj2.test.driver.matchers.messaging.SourceMatcher;
import org.hamcrest.Matchers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests how durable subscriptions begin and end, frame by frame. */
@Timeout(120)
class DurableSubscriptionProtocolTest {

    private final ScriptedBroker broker = new ScriptedBroker();

    @AfterEach
    void stop() {
        broker.close();
    }

    @Test
    void attachesADurableSubscriptionUnderItsNameAndOnlyDetachesWhenClosed() {
        broker.peer.expectSASLAnonymousConnect();
        broker.peer.expectOpen().withContainerId("shop").respond();
        broker.peer.expectBegin().respond();
        broker.peer
                .expectAttach()
                .ofReceiver()
                .withName("audit")
                .withSource(new SourceMatcher()
                        .withAddress("prices")
                        .withDurable(TerminusDurability.UNSETTLED_STATE)
                        .withExpiryPolicy(TerminusExpiryPolicy.NEVER)
                        .withDistributionMode("copy")
                        .withCapabilities("topic"))
                .respond();
        broker.peer.expectFlow();
        broker.peer.expectDetach().withClosed(false).respond();
        broker.peer.expectEnd().respond();
        broker.peer.expectClose().respond();
        try (RingtableClient client = broker.client().clientId("shop").connect();
                Subscription subscription =
                        client.subscribe(SubscriptionOptions.topic("prices").durable("audit"), message -> {})) {
            assertThat(subscription.isOpen()).isTrue();
        }
        broker.done();
    }

    @Test
    void unsubscribesByLookingUpTheNameWithoutASourceAndClosingTheLink() {
        broker.acceptsConnection();
        broker.peer.expectBegin().respond();
        broker.peer
                .expectAttach()
                .ofReceiver()
                .withName("audit")
                .withSource(Matchers.nullValue())
                .respond()
                .withSource(new Source());
        broker.peer.expectDetach().withClosed(true).respond();
        broker.peer.expectEnd().respond();
        broker.peer.expectClose().respond();
        try (RingtableClient client = broker.client().clientId("shop").connect()) {
            client.unsubscribe("audit");
        }
        broker.done();
    }

    @Test
    void saysWhichSubscriptionIsNotThere() {
        broker.acceptsConnection();
        broker.peer.expectBegin().respond();
        broker.peer.expectAttach().ofReceiver().reject(true, "amqp:not-found", "no subscription 'audit'");
        broker.peer.expectDetach();
        broker.peer.expectEnd().optional().respond();
        try (RingtableClient client = broker.client().clientId("shop").connect()) {
            assertThatThrownBy(() -> client.unsubscribe("audit"))
                    .isInstanceOfSatisfying(
                            RingtableException.class,
                            failure -> assertThat(failure.condition()).contains("amqp:not-found"))
                    .hasMessageContaining("RT-5020")
                    .hasMessageContaining("'audit'");
        }
    }

    @Test
    void refusesADurableSubscriptionWithoutAClientId() {
        broker.acceptsConnection();
        try (RingtableClient client = broker.client().connect()) {
            assertThatThrownBy(() ->
                            client.subscribe(SubscriptionOptions.topic("prices").durable("audit"), message -> {}))
                    .hasMessageContaining("RT-5022")
                    .hasMessageContaining("clientId");
        }
    }
}

package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.Connection;
import jakarta.jms.Session;
import java.util.List;
import java.util.Map;
import org.apache.qpid.protonj2.test.driver.ProtonTestClient;
import org.hamcrest.CoreMatchers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A refusal tells nothing of what there is, and users keep what they have made from each other. */
@Timeout(120)
@ExtendWith(RightsBroker.Shared.class)
class RefusedRightsScenarioTest {

    @Test
    void aRefusalIsTheSameWhetherTheAddressExistsOrNotAndCreatesNone() throws Exception {
        try (Session session = RightsBroker.session("eve")) {
            for (Way way : List.<Way>of(Way::send, Way::sendAnonymously, Way::consume, Way::browse, Way::subscribe)) {
                assertThat(refusal(session, way, "secret").replace("secret", "NAME"))
                        .isEqualTo(refusal(session, way, "nowhere").replace("nowhere", "NAME"));
            }
        }
        assertThat(RightsBroker.broker().shard().lookup().find("nowhere")).isNull();
    }

    private static String refusal(Session session, Way way, String address) {
        try {
            way.tryIt(session, "eve", address);
            return "none";
        } catch (Exception e) {
            return e.getMessage();
        }
    }

    @Test
    void aClientIdWithADurableSubscriptionIsForItsUser() throws Exception {
        try (Connection connection = RightsBroker.connect("tom", "tom's desk")) {
            Session session = connection.createSession();
            session.createDurableConsumer(session.createTopic("prices"), "own").close();
        }
        assertThatThrownBy(() -> RightsBroker.connect("ops", "tom's desk").close())
                .hasMessageContaining("RT-4332");
        assertThatThrownBy(() -> RightsBroker.connect("eve", "|global|audit").close())
                .hasMessageContaining("RT-4353");
    }

    @Test
    void deletingAnAddressNeedsThatPermissionWhetherItExistsOrNot() throws Exception {
        try (ProtonTestClient max = open("max")) {
            isNotDeleted(max, 0, "orders.eu");
            isNotDeleted(max, 1, "orders.nowhere");
        }
        try (Session session = RightsBroker.session("ops");
                AuditLines audit = new AuditLines();
                ProtonTestClient ops = open("ops")) {
            RightsBroker.send(session, session.createQueue("deleted"), "something");
            ops.expectAttach().ofReceiver().withTarget().withAddress("deleted");
            ops.expectDetach().withClosed(true).withError(CoreMatchers.nullValue());
            askToDelete(ops, 0, "deleted");
            ops.remoteDetach().withHandle(0).withClosed(true).now();
            FramePeer.done(ops);
            assertThat(audit.about("'deleted'"))
                    .containsExactly(
                            "user 'ops' (none) over amqp from 127.0.0.1: delete queue 'deleted' (always) -> done");
        }
        assertThat(RightsBroker.broker().shard().lookup().find("deleted")).isNull();
    }

    /** A user who could publish under its numbers would make messages of its owner look like duplicates. */
    @Test
    void aProducerIsForTheUserWhoOpenedItFirstAndForThoseWhoManageTheAddress() throws Exception {
        try (ProtonTestClient ann = open("ann");
                ProtonTestClient max = open("max");
                ProtonTestClient ops = open("ops")) {
            attachProducer(ann, 1);
            ann.expectDetach().withClosed(true);
            ann.remoteDetach().withHandle(0).withClosed(true).now();
            FramePeer.done(ann);

            max.expectAttach().ofReceiver().withTarget(CoreMatchers.nullValue());
            max.expectDetach()
                    .withClosed(true)
                    .withError(
                            "amqp:unauthorized-access",
                            CoreMatchers.startsWith("RT-4354 user 'max' may not open producer 'p' of queue"
                                    + " 'orders.eu', which is of another user"));
            attachProducer(max);

            attachProducer(ops, 2);
            ops.expectDetach().withClosed(true).withError("amqp:link:stolen", CoreMatchers.startsWith("RT-4101"));
            attachProducer(ann, 3);
            FramePeer.done(ops);
        }
    }

    private static void attachProducer(ProtonTestClient client, long incarnation) {
        client.expectAttach()
                .ofReceiver()
                .withProperties(Map.of(
                        "ringtable:producer",
                        "p",
                        "ringtable:producer-incarnation",
                        incarnation,
                        "ringtable:producer-last-number",
                        0L))
                .withTarget()
                .withAddress("orders.eu");
        client.expectFlow();
        attachProducer(client);
    }

    private static void attachProducer(ProtonTestClient client) {
        client.remoteAttach()
                .ofSender()
                .withName("numbered")
                .withHandle(0)
                .withInitialDeliveryCount(0)
                .withProperty("ringtable:producer", "p")
                .withSource()
                .withAddress("me")
                .and()
                .withTarget()
                .withAddress("orders.eu")
                .and()
                .now();
        FramePeer.done(client);
    }

    private static void isNotDeleted(ProtonTestClient client, int handle, String address) {
        client.expectAttach().ofReceiver().withTarget(CoreMatchers.nullValue());
        client.expectDetach()
                .withClosed(true)
                .withError(
                        "amqp:unauthorized-access",
                        CoreMatchers.startsWith("RT-4350 user 'max' may not delete '" + address + "'"));
        askToDelete(client, handle, address);
        FramePeer.done(client);
    }

    private static void askToDelete(ProtonTestClient client, int handle, String address) {
        client.remoteAttach()
                .ofSender()
                .withName("delete " + address)
                .withHandle(handle)
                .withInitialDeliveryCount(0)
                .withProperty("ringtable:delete", "always")
                .withSource()
                .withAddress("me")
                .and()
                .withTarget()
                .withAddress(address)
                .and()
                .now();
    }

    private static ProtonTestClient open(String user) throws Exception {
        ProtonTestClient client = new ProtonTestClient();
        client.queueClientSaslPlainConnect(user, "of " + user);
        client.remoteOpen().withContainerId("frames of " + user).queue();
        client.expectOpen().withOfferedCapabilities(CoreMatchers.anything());
        client.remoteBegin()
                .withNextOutgoingId(0)
                .withIncomingWindow(1_000)
                .withOutgoingWindow(1_000)
                .queue();
        client.expectBegin();
        client.connect("127.0.0.1", RightsBroker.broker().port());
        FramePeer.done(client);
        return client;
    }
}

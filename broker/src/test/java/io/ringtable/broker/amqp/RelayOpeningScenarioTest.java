package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.amqp.FrontPeer.Carried;
import io.ringtable.broker.amqp.FrontPeer.Reader;
import io.ringtable.wire.RingtableSymbols;
import java.nio.file.Path;
import java.util.Map;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.types.UnsignedInteger;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node alone may carry clients to another one, and each attach there says whose it is. */
@Timeout(120)
class RelayOpeningScenarioTest extends RelayScenario {
    private static final String REFUSED = "amqp:not-allowed RT-4551 ";

    @Test
    void theAnswerToANodeHasTheTermsAndItsTimeOut() {
        assertThat(front.connection.getRemoteOfferedCapabilities()).contains(RingtableSymbols.RELAY);
        assertThat(front.connection.getRemoteProperties())
                .containsEntry(RingtableSymbols.RELAY, UnsignedInteger.ONE)
                .hasEntrySatisfying(
                        RingtableSymbols.NODE, id -> assertThat((String) id).isNotBlank());
        assertThat(front.connection.getRemoteIdleTimeout()).isEqualTo(FrontPeer.IDLE_MS);
    }

    @Test
    void aClientThatDoesNotAskHearsNothingOfRelays() throws Exception {
        try (FrontPeer client = FrontPeer.client(broker, "ann", "direct")) {
            assertThat(client.connection.getRemoteOfferedCapabilities()).doesNotContain(RingtableSymbols.RELAY);
            assertThat(client.connection.getRemoteProperties())
                    .doesNotContainKeys(RingtableSymbols.RELAY, RingtableSymbols.NODE);
        }
    }

    @Test
    void anotherUserThanThatOfNodesIsRefused() throws Exception {
        try (FrontPeer other = FrontPeer.open(broker, "ann", 1)) {
            assertThat(other.closed()).startsWith("amqp:unauthorized-access RT-4550 user 'ann' may not carry clients");
        }
    }

    @Test
    void anotherVersionIsRefusedAndBothAreNamed() throws Exception {
        try (FrontPeer later = FrontPeer.open(broker, FrontPeer.NODE_USER, 2)) {
            assertThat(later.closed())
                    .startsWith("amqp:not-implemented RT-4550 ")
                    .contains("version 2 of the relay and this one version 1");
        }
    }

    @Test
    void withoutAUserOfNodesNobodyCarriesClients(@TempDir Path other) throws Exception {
        try (TestBroker alone = TestBroker.start(other, TestSettings.of().authenticator(USERS));
                FrontPeer refused = FrontPeer.open(alone, FrontPeer.NODE_USER, 1)) {
            assertThat(refused.closed())
                    .startsWith("amqp:unauthorized-access RT-4550 ")
                    .contains("set ringtable.cluster.user");
        }
    }

    @Test
    void aBrokerThatStopsClosesARelay(@TempDir Path other) throws Exception {
        TestSettings settings =
                TestSettings.of("ringtable.cluster.user", FrontPeer.NODE_USER).authenticator(USERS);
        TestBroker stopping = TestBroker.start(other, settings);
        try (FrontPeer relay = FrontPeer.node(stopping)) {
            relay.publish(relay.sender(relay.session(), carried("c1", "ann"), "to", "q"), 1);
            stopping.close();

            assertThat(relay.closed()).startsWith("amqp:connection:forced RT-4037");
        } finally {
            stopping.close();
        }
    }

    @Test
    void anAttachOnARelayMustSayWhoseItIs() {
        Session session = front.session();
        Reader nobodys = front.reader(session, null, "nobody's", "public.q");

        assertThat(front.closed(nobodys.receiver)).startsWith(REFUSED + "the attach does not say whose link it is");
    }

    @Test
    void theNameOfALinkBeginsWithItsConnection() {
        Session session = front.session();
        Sender sender = session.sender("c2/to");
        sender.setSource(new Source());
        sender.setTarget(new Target().setAddress("public.q"));
        sender.setProperties(carried("c1", "ann").said("to", true));

        assertThat(front.closed(front.opened(sender))).startsWith(REFUSED + "link 'c2/to' is not named 'c1/to'");
    }

    @Test
    void aLinkOfSomebodyElseIsRefusedOnAnyOtherConnection() throws Exception {
        try (FrontPeer client = FrontPeer.client(broker, "ann", "direct")) {
            Session session = client.session();
            Sender sender = client.attachSender(session, carried("c1", "ops"), "to", "public.q", true);

            assertThat(client.closed(sender)).startsWith(REFUSED + "the connection is no relay");
            assertThat(client.sender(session, null, "own", "public.q").getCredit())
                    .isPositive();
        }
    }

    @Test
    void aSessionIsOneOfAClientAndAConnectionOneOfAUser() {
        Session session = front.session();
        Carried ann = carried("c1", "ann");
        front.sender(session, ann, "to", "public.q");

        Sender other = front.attachSender(session, carried("c2", "bob"), "to", "public.q", true);
        assertThat(front.closed(other)).startsWith(REFUSED + "the session is one of connection 'c1'");

        Carried changed = new Carried("c1", ann.container(), "bob", ann.groups());
        Sender bobs = front.attachSender(front.session(), changed, "to", "public.q", true);
        assertThat(front.closed(bobs)).startsWith(REFUSED + "connection 'c1' is of user 'ann'");
    }

    @Test
    void anAddressThatIsNotThereIsMadeOnlyIfTheNodeSaysSo() {
        Carried ann = carried("c1", "ann");
        Session session = front.session();
        Sender lost = front.attachSender(session, ann, "first", "public.new", false);
        assertThat(front.closed(lost)).startsWith("amqp:not-found RT-4552 'public.new' is no address");
        assertThat(broker.shard().lookup().find("public.new")).isNull();

        front.sender(session, ann, "second", "public.new");
        assertThat(broker.shard().lookup().find("public.new")).isNotNull();
        Sender known = front.attachSender(session, ann, "third", "public.new", false);
        front.await(() -> known.getCredit() > 0);
    }

    @Test
    void propertiesBesideTheClientsAreTheLinks() {
        Session session = front.session();
        Carried ann = carried("c1", "ann");
        Sender sender = session.sender("c1/asks");
        sender.setSource(new Source());
        sender.setTarget(new Target().setAddress("public.q"));
        sender.setProperties(Map.of(
                RingtableSymbols.CLIENT,
                ann.said("asks", true).get(RingtableSymbols.CLIENT),
                RingtableSymbols.DUPLICATE_IDS,
                0));

        assertThat(front.opened(sender).getRemoteProperties()).containsKey(RingtableSymbols.DUPLICATE_IDS);
    }
}

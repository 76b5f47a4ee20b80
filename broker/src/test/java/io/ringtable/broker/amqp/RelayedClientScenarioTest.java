package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.access.AccessRule;
import io.ringtable.broker.access.AccessRules;
import io.ringtable.broker.access.Permission;
import io.ringtable.broker.amqp.FrontPeer.Carried;
import io.ringtable.broker.amqp.FrontPeer.Reader;
import io.ringtable.broker.message.AddressPattern;
import io.ringtable.broker.status.ConnectionStatus;
import io.ringtable.broker.status.LinkStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.buffer.impl.ProtonByteArrayBufferAllocator;
import org.apache.qpid.protonj2.engine.OutgoingDelivery;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.TerminusDurability;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rights, names and bounds are those of the client that is carried, and operators see it as one. */
@Timeout(120)
class RelayedClientScenarioTest extends RelayScenario {
    private static final String UNAUTHORIZED = "amqp:unauthorized-access RT-4350 user '";

    @Test
    void rightsAreThoseOfTheCarriedUserAndItsGroups() {
        Session session = front.session();
        Carried bob = carried("c1", "bob");
        Sender refused = front.attachSender(session, bob, "first", "traders.eu", true);
        assertThat(front.closed(refused)).startsWith(UNAUTHORIZED + "bob' may not ");
        Reader hidden = front.reader(session, bob, "from", "traders.eu");
        assertThat(front.closed(hidden.receiver)).startsWith(UNAUTHORIZED + "bob'");

        front.publish(front.sender(session, bob.in("traders"), "second", "traders.eu"), 1);
    }

    @Test
    void groupsThatChangeEndTheLinksThatNeedThem() {
        Session session = front.session();
        Carried bob = carried("c1", "bob", "traders");
        Sender traders = front.sender(session, bob, "to-traders", "traders.eu");
        Sender open = front.sender(session, bob, "to-all", "public.q");

        front.tell(session, bob.in("others"));

        assertThat(front.closed(traders)).startsWith(UNAUTHORIZED + "bob'");
        front.publish(open, 1);
    }

    @Test
    void rulesThatChangeEndTheLinksThatTheyNoLongerPermit() throws Exception {
        AccessRule nothing =
                new AccessRule(new AddressPattern("nothing"), Set.of("ann"), Set.of(), Set.of(Permission.SEND));
        TestSettings withoutRules =
                TestSettings.of("ringtable.cluster.user", FrontPeer.NODE_USER).authenticator(USERS);
        try (TestBroker ruled = TestBroker.start(directory.resolve("ruled"), withoutRules);
                FrontPeer relay = FrontPeer.node(ruled)) {
            Sender sender = relay.sender(relay.session(), carried("c1", "ann"), "to", "orders");

            ruled.accessRules(new AccessRules(List.of(nothing)));

            assertThat(relay.closed(sender)).startsWith(UNAUTHORIZED + "ann'");
        }
    }

    @Test
    void aClientIdBelongsToTheUserWhoHasASubscriptionUnderIt() {
        Session anns = front.session();
        Carried ann = new Carried("c1", "owned", "ann", List.of());
        Reader kept = front.reader(anns, ann, "kept", durable());
        assertThat(kept.receiver.isRemotelyOpen()).isTrue();
        Carried bob = new Carried("c2", "owned", "bob", List.of());

        Sender inUse = front.attachSender(front.session(), bob, "to", "public.q", true);
        assertThat(front.closed(inUse))
                .startsWith("amqp:invalid-field RT-4332 container id 'owned' belongs to another");

        front.end(anns, false);
        Sender owned = front.attachSender(front.session(), bob, "to", "public.q", true);
        assertThat(front.closed(owned))
                .startsWith("amqp:invalid-field RT-4332 container id 'owned' belongs to another");
    }

    private static Source durable() {
        return new Source()
                .setAddress("public.rates")
                .setCapabilities(Symbol.valueOf("topic"))
                .setDurable(TerminusDurability.UNSETTLED_STATE);
    }

    @Test
    void aContainerThatAnotherUserHasIsRefusedWhateverItsWay() throws Exception {
        try (FrontPeer direct = FrontPeer.client(broker, "ann", "taken")) {
            Carried bob = new Carried("c1", "taken", "bob", List.of());
            Sender refused = front.attachSender(front.session(), bob, "to", "public.q", true);
            assertThat(front.closed(refused)).startsWith("amqp:invalid-field RT-4335 container id 'taken' is in use");
            assertThat(direct.connection.isRemotelyOpen()).isTrue();

            Carried ann = new Carried("c2", "taken", "ann", List.of());
            front.sender(front.session(), ann, "to", "public.q");
        }
    }

    @Test
    void aRelayedClientKeepsADirectOneOfAnotherUserOut() throws Exception {
        front.sender(front.session(), new Carried("c1", "held", "ann", List.of()), "to", "public.q");
        try (FrontPeer direct = FrontPeer.client(broker, "bob", "held")) {
            assertThat(direct.closed()).startsWith("amqp:invalid-field RT-4335 container id 'held' is in use");
        }
    }

    @Test
    void linksCountForTheirClient() {
        Session session = front.session();
        Carried ann = carried("c1", "ann");
        for (int i = 0; i < LINKS_MAX; i++) {
            front.sender(session, ann, "to-" + i, "public.q");
        }
        Sender tooMany = front.attachSender(front.session(), ann, "one-more", "public.q", true);
        assertThat(front.closed(tooMany)).startsWith("amqp:resource-limit-exceeded RT-4061");

        Session others = front.session();
        for (int i = 0; i < LINKS_MAX; i++) {
            front.sender(others, carried("c2", "bob"), "to-" + i, "public.q");
        }
    }

    @Test
    void connectionsCountForTheirUserWhileTheyHaveASession() {
        List<Session> sessions = new ArrayList<>();
        for (int i = 0; i < USER_CONNECTIONS_MAX; i++) {
            sessions.add(front.session());
            front.sender(sessions.get(i), carried("c" + i, "zoe"), "to", "public.q");
        }
        Carried more = carried("one-more", "zoe");
        Session last = front.session();
        assertThat(front.closed(front.attachSender(last, more, "first", "public.q", true)))
                .startsWith("amqp:resource-limit-exceeded RT-4370 user 'zoe'");

        front.end(sessions.get(0), false);
        front.sender(last, more, "second", "public.q");
    }

    @Test
    void bytesCountForTheirClient() {
        Carried ann = carried("c1", "ann");
        List<Sender> endless = new ArrayList<>();
        for (int i = 0; i < 6; i++) { // 900 kB each, of 3 MB
            Sender sender = front.sender(front.session(), ann, "endless-" + i, "public.q");
            endless.add(sender);
        }
        for (Sender sender : endless) {
            OutgoingDelivery begun = sender.next();
            begun.setTag(new byte[] {1});
            begun.streamBytes(ProtonByteArrayBufferAllocator.wrapped(new byte[900_000]));
        }

        for (Sender sender : endless) {
            assertThat(front.closed(sender)).startsWith("amqp:resource-limit-exceeded RT-4321");
        }
        front.publish(front.sender(front.session(), carried("c2", "bob"), "to", "public.q"), 1);
    }

    @Test
    void operatorsSeeEachClientWithItsWayAndItsLinks() throws Exception {
        Session session = front.session();
        Carried ann = carried("c1", "ann", "traders");
        front.publish(front.sender(session, ann, "to", "public.seen"), 2);

        ConnectionStatus relay = seen(FrontPeer.NODE_ID).get(0);
        ConnectionStatus client = seen(ann.container()).get(0);
        assertThat(relay.links()).isZero();
        assertThat(relay.user()).isEqualTo(FrontPeer.NODE_USER);
        assertThat(client.id()).isNotEqualTo(relay.id());
        assertThat(client.user()).isEqualTo("ann");
        assertThat(client.groups()).containsExactly("traders");
        assertThat(client.remote()).isEqualTo("10.1.2.3 through " + relay.id());
        assertThat(client.sessions()).isEqualTo(1);
        assertThat(client.links()).isEqualTo(1);
        LinkStatus link = broker.connections()
                .links(10, null, client.id(), null)
                .toCompletableFuture()
                .get(SECONDS, TimeUnit.SECONDS)
                .items()
                .get(0);
        assertThat(link.name()).isEqualTo("to");
        assertThat(link.address()).isEqualTo("public.seen");
        assertThat(link.messages()).isEqualTo(2);

        front.end(session, false);
        Awaitility.await().until(() -> seen(ann.container()).isEmpty());
    }

    @Test
    void aClientThatAnOperatorClosesIsRefusedUntilItsSessionsEnd() throws Exception {
        Session session = front.session();
        Carried ann = carried("c1", "ann");
        Sender closing = front.sender(session, ann, "to", "public.q");
        Sender bobs = front.sender(front.session(), carried("c2", "bob"), "to", "public.q");
        broker.connections()
                .close(seen(ann.container()).get(0).id(), "user 'ops'")
                .toCompletableFuture()
                .get(SECONDS, TimeUnit.SECONDS);

        assertThat(front.closed(closing)).startsWith("amqp:connection:forced RT-4372");
        Sender early = front.attachSender(session, ann, "again", "public.q", true);
        assertThat(front.closed(early)).startsWith("amqp:connection:forced RT-4372");
        front.publish(bobs, 1);

        front.end(session, true);
        front.publish(front.sender(front.session(), ann, "to", "public.q"), 1);
    }

    @Test
    void aTransferBeforeTheAnswerToItsAttachEndsItsClientAlone() {
        Session session = front.session();
        Carried ann = carried("c1", "ann");
        Sender settled = front.sender(session, ann, "to", "public.q");
        Sender bobs = front.sender(front.session(), carried("c2", "bob"), "to", "public.q");

        Sender early = front.sendAhead(session, ann, "early", "public.early", 1);

        assertThat(front.closed(settled)).startsWith("amqp:link:transfer-limit-exceeded RT-4042");
        assertThat(front.closed(early)).startsWith("amqp:link:transfer-limit-exceeded RT-4042");
        front.publish(bobs, 1);
    }

    @Test
    void aShardThatGoesAwayEndsTheClientsThatUseIt() {
        Session anns = front.session();
        Carried ann = carried("c1", "ann");
        Sender sender = front.sender(anns, ann, "to", "public.q");
        Session bobs = front.session();
        Carried bob = carried("c2", "bob");
        front.tell(bobs, bob);

        broker.connections().leave(0, "a test");

        assertThat(front.closed(sender)).startsWith("amqp:connection:forced RT-4535 shard 0");
        front.publish(front.sender(bobs, bob, "to", "public.q"), 1);
        front.end(anns, true);
        front.publish(front.sender(front.session(), ann, "to", "public.q"), 1);
    }
}

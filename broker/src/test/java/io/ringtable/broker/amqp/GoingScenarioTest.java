package io.ringtable.broker.amqp;

import static io.ringtable.broker.amqp.TestCluster.ann;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.message.Address;
import io.ringtable.wire.RingtableSymbols;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSRuntimeException;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Addresses whose parts lie at two nodes are deleted by whichever is asked (ADR 82). */
@Timeout(120)
class GoingScenarioTest {
    private static final long WAIT_MS = 60_000;

    @AutoClose
    static TwoNodes nodes;

    @BeforeAll
    static void start() throws Exception {
        nodes = new TwoNodes(TestCluster.withUsers(TwoNodes.settings()
                .with(
                        "ringtable.lease", "3s", // what nodes do for each other takes several looks
                        "ringtable.topics", "known",
                        "ringtable.dispatch.addresses[0].match", "wide.#",
                        "ringtable.dispatch.addresses[0].parts", 2)));
        nodes.awaitKnown("known");
    }

    private static String stored(String address) throws Exception {
        return DirectoryRows.stored(nodes.database, "address", address);
    }

    private static String rows(String address) throws Exception {
        return DirectoryRows.ofAddress(nodes.database, address);
    }

    /** Makes a queue with two parts, of which the one at the given node has a message. */
    private static void make(String queue, TestBroker node) {
        try (JMSContext context = ann(node)) {
            context.createProducer().send(context.createQueue(queue), "1");
        }
        await().until(() -> stored(queue), "2"::equals);
        for (TestBroker each : nodes.both()) {
            await().until(() ->
                    each.shard().homesOf(each.shard().lookup().find(queue)).size() == 2);
        }
    }

    /** Waits until all acknowledgements are durable, of which no client hears. */
    private static void awaitUnused(String queue) {
        for (TestBroker each : nodes.both()) {
            await().until(() -> {
                Address any = each.shard().lookup().find(queue);
                return each.shard().homesOf(any).stream()
                        .filter(home -> home.elsewhere() == null)
                        .allMatch(home -> home.lookup()
                                        .owedBy(home.lookup()
                                                .readerOf(home.lookup().find(queue)))
                                == 0);
            });
        }
    }

    @Test
    void eitherNodeDeletesAllPartsWithWhatTheyHold() throws Exception {
        for (TestBroker node : nodes.both()) {
            TestBroker other = nodes.other(node);
            make("wide.full", other);
            assertThat(FrontPeer.delete(node, "wide.full", RingtableSymbols.DELETE_ALWAYS))
                    .isEmpty();
            assertThat(stored("wide.full")).isEqualTo("0");
            assertThat(rows("wide.full")).isNull();
            assertThat(FrontPeer.delete(node, "wide.full", RingtableSymbols.DELETE_ALWAYS))
                    .contains("RT-4067");
            make("wide.full", node); // another address of the name
            Administrator.of(other, "ann").delete("/addresses/wide.full?force=true");
            assertThat(stored("wide.full")).isEqualTo("0");
        }
    }

    @Test
    void aPartInUseAtTheOtherNodeKeepsAll() throws Exception {
        for (TestBroker node : nodes.both()) {
            TestBroker other = nodes.other(node);
            make("wide.used", other);
            assertThat(FrontPeer.delete(node, "wide.used", RingtableSymbols.DELETE_IF_UNUSED))
                    .contains("RT-4657");
            Administrator.of(node, "ann").refused(409, "RT-4657", "DELETE", "/addresses/wide.used", null);
            assertThat(stored("wide.used")).isEqualTo("2");
            assertThat(rows("wide.used")).isEqualTo("0here,1here");
            try (JMSContext context = ann(node)) { // both parts take messages again, and give what they have
                context.createProducer().send(context.createQueue("wide.used"), "2");
                JMSConsumer consumer = context.createConsumer(context.createQueue("wide.used"));
                assertThat(List.of(
                                consumer.receiveBody(String.class, WAIT_MS),
                                consumer.receiveBody(String.class, WAIT_MS)))
                        .containsExactlyInAnyOrder("1", "2");
            }
            awaitUnused("wide.used");
            Administrator.of(node, "ann").delete("/addresses/wide.used");
            assertThat(stored("wide.used")).isEqualTo("0");
        }
    }

    @Test
    void consumersAndPublishersOfBothNodesHearOfIt() throws Exception {
        make("wide.open", nodes.front);
        try (JMSContext atOwner = ann(nodes.owner);
                JMSContext atFront = ann(nodes.front);
                FrontPeer peer = FrontPeer.client(nodes.owner, "ann", "reads")) {
            FrontPeer.Reader reader = peer.reader(peer.session(), null, "in", "wide.open");
            Administrator.of(nodes.front, "ann").delete("/addresses/wide.open?force=true");
            assertThat(peer.closed(reader.receiver)).contains("amqp:not-found");
            for (JMSContext context : List.of(atOwner, atFront)) { // which makes it anew
                context.createProducer().send(context.createQueue("wide.open"), "later");
            }
        }
        await().until(() -> stored("wide.open"), "2"::equals);
        Administrator.of(nodes.owner, "ann").delete("/addresses/wide.open?force=true");
    }

    /** The rows say so before the owner comes, and nobody else is there to ask it. */
    @Test
    void aPartWhoseNodeWasAwayIsDeletedBeforeItIsServed() throws Exception {
        make("wide.late", nodes.owner);
        make("wide.asked", nodes.owner);
        nodes.stopOwner();
        Administrator atFront = Administrator.of(nodes.front, "ann");
        atFront.refused(503, "RT-4533", "DELETE", "/addresses/wide.late?force=true", null);
        assertThat(rows("wide.late")).isEqualTo("0here,1here");
        DirectoryRows.markAddress(nodes.database, "wide.late", "//deleted");
        DirectoryRows.markAddress(nodes.database, "wide.asked", "//asked");
        await().until(() -> rows("wide.late"), "0going"::equals); // the front has done its part
        assertThatThrownBy(() -> {
                    try (JMSContext context = ann(nodes.front)) {
                        context.createProducer().send(context.createQueue("wide.late"), "too late");
                    }
                })
                .isInstanceOf(JMSRuntimeException.class)
                .hasMessageContaining("RT-4612");

        nodes.startOwner();
        await().until(() -> rows("wide.late") == null);
        assertThat(stored("wide.late")).isEqualTo("0");
        await().until(() -> rows("wide.asked"), "0here,1here"::equals); // whoever had asked is forgotten
        nodes.awaitKnown("wide.asked", 2);
        try (JMSContext context = ann(nodes.front)) {
            context.createProducer().send(context.createQueue("wide.late"), "in time");
            context.createProducer().send(context.createQueue("wide.asked"), "again");
        }
        for (String queue : List.of("wide.late", "wide.asked")) {
            Administrator.of(nodes.front, "ann").delete("/addresses/" + queue + "?force=true");
            assertThat(stored(queue)).isEqualTo("0");
        }
    }

    @Test
    void aTopicGoesWithItsSubscriptions() throws Exception {
        try (JMSContext context = ann(nodes.front)) {
            context.createProducer().send(context.createTopic("wide.news"), "nobody hears it");
        }
        await().until(() -> stored("wide.news"), "2"::equals);
        assertThat(FrontPeer.delete(nodes.owner, "wide.news", RingtableSymbols.DELETE_IF_UNUSED))
                .isEmpty();
        assertThat(stored("wide.news")).isEqualTo("0");
    }

    /** Two nodes that agree at once each see the other one's part as not judged yet. */
    @Test
    void partsGoWhoseOwnersHaveAgreedAtOnce() throws Exception {
        make("wide.atonce", nodes.front);
        DirectoryRows.markAddress(nodes.database, "wide.atonce", "//agreed");
        await().until(() -> rows("wide.atonce") == null);
        assertThat(stored("wide.atonce")).isEqualTo("0");
    }
}

package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.CoreMatchers.containsString;
import static org.hamcrest.CoreMatchers.nullValue;

import io.ringtable.wire.BatchFormat;
import io.ringtable.wire.Encoded;
import io.ringtable.wire.EncodingWriter;
import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.JMSContext;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.qpid.protonj2.test.driver.ProtonTestClient;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.MessageAnnotations;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** To which part of a queue a message goes, and whom a full part holds up. */
@Timeout(120)
class PartsRoutingScenarioTest extends PartsScenario {
    // ---- where messages go

    @Test
    void whatHasNoKeyGoesToThePartOfItsLinkAndLinksAreSpread() throws Exception {
        try (Connection connection = broker.jms().createConnection();
                JMSContext context = broker.jms().createContext()) {
            Session session = connection.createSession();
            for (int link = 0; link < 2 * SHARDS; link++) {
                MessageProducer producer = session.createProducer(session.createQueue("hot.links"));
                for (int i = 0; i < 3; i++) {
                    producer.send(session.createTextMessage(link + " " + i));
                }
            }
            awaitOwed("hot.links", 6, 6, 6, 6);
            Map<String, List<String>> byLink = new TreeMap<>();
            receive(context, "hot.links", 24)
                    .forEach(text -> byLink.computeIfAbsent(text.substring(0, 1), link -> new ArrayList<>())
                            .add(text));
            assertThat(byLink).hasSize(2 * SHARDS);
            byLink.values().forEach(texts -> assertThat(texts).isSorted());
        }
    }

    /** A link that found only some of the parts would send a key elsewhere than others. */
    @Test
    void everyLinkFindsAllPartsHoweverManyMakeTheQueueAtOnce() throws Exception {
        int clients = 6;
        int keys = 8;
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        try {
            for (int round = 0; round < 5; round++) {
                String name = "hot.race." + round;
                CyclicBarrier together = new CyclicBarrier(clients);
                List<Future<?>> running = new ArrayList<>();
                for (int client = 0; client < clients; client++) {
                    running.add(threads.submit(() -> {
                        try (Connection connection = broker.jms().createConnection()) {
                            Session session = connection.createSession();
                            together.await(WAIT_MS, TimeUnit.MILLISECONDS);
                            MessageProducer producer = session.createProducer(session.createQueue(name));
                            for (int key = 0; key < keys; key++) {
                                Message message = session.createTextMessage("x");
                                message.setStringProperty("JMSXGroupID", "key " + key);
                                producer.send(message);
                            }
                        }
                        return null;
                    }));
                }
                for (Future<?> each : running) {
                    each.get(WAIT_MS, TimeUnit.MILLISECONDS);
                }
                int[] wanted = new int[SHARDS];
                IntStream.range(0, keys).forEach(key -> wanted[partOf(name, "key " + key)] += clients);
                assertThat(owed(name)).containsExactlyElementsOf(boxed(wanted));
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void aMessageWithADuplicateIdIsStoredOnceWhicheverLinkItComesBy() {
        try (JMSContext context = broker.jms().createContext()) {
            Queue queue = context.createQueue("hot.once");
            for (int link = 0; link < SHARDS; link++) {
                try (JMSContext session = context.createContext(JMSContext.AUTO_ACKNOWLEDGE)) {
                    for (int id = 0; id < 20; id++) {
                        session.createProducer()
                                .setProperty("_AMQ_DUPL_ID", "id " + id)
                                .send(queue, "id " + id);
                    }
                }
            }
            assertThat(owed("hot.once").stream().mapToInt(Integer::intValue).sum())
                    .isEqualTo(20);
            assertThat(receive(context, "hot.once", 20)).doesNotHaveDuplicates();
        }
    }

    @Test
    void theAnonymousRelaySendsEachMessageToThePartOfItsKeyAlsoWhileTheQueueIsBeingMade() throws Exception {
        int keys = 12;
        try (Connection connection = broker.jms().createConnection()) {
            Session session = connection.createSession();
            MessageProducer relay = session.createProducer(null);
            List<CompletableFuture<Void>> outcomes = new ArrayList<>();
            for (int i = 0; i < keys; i++) { // the first of them makes the queue, and the others wait for it
                Message message = session.createTextMessage("x");
                message.setStringProperty("JMSXGroupID", "key " + i);
                CompletableFuture<Void> outcome = new CompletableFuture<>();
                outcomes.add(outcome);
                relay.send(session.createQueue("hot.relay"), message, completing(outcome));
            }
            for (CompletableFuture<Void> each : outcomes) {
                each.get(WAIT_MS, TimeUnit.MILLISECONDS);
            }
        }
        int[] wanted = new int[SHARDS];
        IntStream.range(0, keys).forEach(i -> wanted[partOf("hot.relay", "key " + i)]++);
        assertThat(owed("hot.relay")).containsExactlyElementsOf(boxed(wanted));
    }

    private static CompletionListener completing(CompletableFuture<Void> outcome) {
        return new CompletionListener() {
            @Override
            public void onCompletion(Message message) {
                outcome.complete(null);
            }

            @Override
            public void onException(Message message, Exception exception) {
                outcome.completeExceptionally(exception);
            }
        };
    }

    private static void transfer(ProtonTestClient peer, int delivery, int format, byte[] payload) {
        peer.remoteTransfer()
                .withHandle(0)
                .withDeliveryId(delivery)
                .withDeliveryTag(new byte[] {(byte) delivery})
                .withMessageFormat(format)
                .withSettled(false)
                .withMore(false)
                .withPayload(payload)
                .now();
    }

    private static ProtonTestClient publisher(String queue) throws Exception {
        ProtonTestClient peer = FramePeer.open(broker, "to " + queue);
        peer.expectAttach().ofReceiver();
        peer.expectFlow();
        attach(peer, queue, Map.of());
        FramePeer.done(peer);
        return peer;
    }

    private static void attach(ProtonTestClient peer, String queue, Map<String, Object> properties) {
        peer.remoteAttach()
                .ofSender()
                .withName("to " + queue)
                .withHandle(0)
                .withInitialDeliveryCount(0)
                .withPropertiesMap(properties)
                .withSource()
                .withAddress("me")
                .and()
                .withTarget()
                .withAddress(queue)
                .withCapabilities("queue")
                .and()
                .now();
    }

    private static byte[] withPartitionKey(Object key) {
        Map<Symbol, Object> annotations = new HashMap<>();
        annotations.put(Symbol.valueOf("x-opt-partition-key"), key);
        return Encoded.message(new MessageAnnotations(annotations), new AmqpValue<>("x"));
    }

    private static byte[] ofGroup(String group) {
        Properties properties = new Properties();
        properties.setGroupId(group);
        return Encoded.message(properties, new AmqpValue<>("x"));
    }

    @Test
    void aPartitionKeyCountsLikeAGroupOfTheSameName() throws Exception {
        try (ProtonTestClient peer = publisher("hot.keys")) {
            String longKey = "k".repeat(500);
            byte[][] messages = {
                withPartitionKey("k"), ofGroup("k"), withPartitionKey(longKey), ofGroup(longKey), withPartitionKey(null)
            };
            for (int i = 0; i < messages.length; i++) {
                peer.expectDisposition().withState().accepted();
                transfer(peer, i, 0, messages[i]);
                FramePeer.done(peer);
            }
            peer.expectDisposition()
                    .withState()
                    .rejected("amqp:invalid-field", containsString("RT-4527 annotation x-opt-partition-key"));
            transfer(peer, messages.length, 0, withPartitionKey(17));
            FramePeer.done(peer);

            int[] wanted = new int[SHARDS];
            wanted[partOf("hot.keys", "k")] += 2;
            wanted[partOf("hot.keys", longKey)] += 2;
            wanted[0]++; // the first link
            assertThat(owed("hot.keys")).containsExactlyElementsOf(boxed(wanted));
        }
    }

    @Test
    void aBatchIsDividedAndAcceptedOnce() throws Exception {
        try (ProtonTestClient peer = publisher("hot.batch")) {
            EncodingWriter batch = new EncodingWriter();
            int[] wanted = new int[SHARDS];
            for (int i = 0; i < 30; i++) {
                BatchFormat.add(batch, ofGroup("key " + i));
                wanted[partOf("hot.batch", "key " + i)]++;
            }
            peer.expectDisposition().withSettled(true).withState().accepted();
            transfer(peer, 0, BatchFormat.CODE, batch.toBytes());
            FramePeer.done(peer);
            assertThat(owed("hot.batch")).containsExactlyElementsOf(boxed(wanted));

            EncodingWriter malformed = new EncodingWriter();
            BatchFormat.add(malformed, ofGroup("key 0"));
            BatchFormat.add(malformed, withPartitionKey(17));
            peer.expectDisposition().withState().rejected("amqp:invalid-field", containsString("RT-4527"));
            transfer(peer, 1, BatchFormat.CODE, malformed.toBytes());
            FramePeer.done(peer);
            assertThat(owed("hot.batch").stream().mapToInt(Integer::intValue).sum())
                    .as("nothing of the malformed batch")
                    .isEqualTo(30);
        }
    }

    @Test
    void aBatchThatIsTooLargeForOnePartSaysWhatTheOthersHave() throws Exception {
        try (ProtonTestClient peer = publisher("small.batch")) {
            List<String> groups = groupsOfEachPart("small.batch", 2);
            EncodingWriter batch = new EncodingWriter();
            BatchFormat.add(batch, ofGroup(groups.get(0)));
            for (int i = 0; i <= SMALL; i++) {
                BatchFormat.add(batch, ofGroup(groups.get(1)));
            }
            peer.expectDisposition()
                    .withState()
                    .rejected(
                            "amqp:resource-limit-exceeded",
                            containsString("1 of the 12 messages of its batch are stored, in other parts"));
            peer.expectFlow(); // the link has one credit at a time
            transfer(peer, 0, BatchFormat.CODE, batch.toBytes());
            FramePeer.done(peer);
            awaitOwed("small.batch", 1, 0);
        }
    }

    @Test
    void numbersOfAProducerAreRefused() throws Exception {
        try (ProtonTestClient peer = FramePeer.open(broker, "numbered")) {
            peer.expectAttach().ofReceiver().withTarget(nullValue());
            peer.expectDetach()
                    .withClosed(true)
                    .withError("amqp:not-implemented", containsString("RT-4522 queue 'hot.numbered' has 4 parts"));
            attach(peer, "hot.numbered", Map.of("ringtable:producer", "p"));
            FramePeer.done(peer);
        }
    }

    // ---- a full part

    @Test
    void aFullPartHoldsUpItsOwnLinksOnly() throws Exception {
        try (Connection one = broker.jms().createConnection();
                Connection other = broker.jms().createConnection()) {
            Session first = one.createSession();
            MessageProducer ofOnePart = first.createProducer(first.createQueue("small.full"));
            Session second = other.createSession();
            MessageProducer ofTheOther = second.createProducer(second.createQueue("small.full"));
            for (int i = 0; i < SMALL; i++) {
                ofOnePart.send(first.createTextMessage("first " + i));
            }
            awaitOwed("small.full", SMALL, 0);
            CompletableFuture<Void> waits = new CompletableFuture<>();
            ofOnePart.send(first.createTextMessage("first waits"), completing(waits));
            Awaitility.await()
                    .until(() -> administrator.get("/links").toString().contains("\"waitsFor\":\"ROOM\""));
            for (int i = 0; i < SMALL; i++) {
                ofTheOther.send(second.createTextMessage("second " + i));
            }
            assertThat(waits).isNotDone();

            try (JMSContext reader = broker.jms().createContext()) {
                assertThat(receive(reader, "small.full", 2 * SMALL + 1)).contains("first waits");
            }
            waits.get(WAIT_MS, TimeUnit.MILLISECONDS);
        }
    }
}

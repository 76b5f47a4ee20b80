package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.inspect.Inspector;
import io.ringtable.broker.inspect.MessageDraft;
import io.ringtable.broker.inspect.MessagePage;
import io.ringtable.broker.inspect.MessageQuery;
import io.ringtable.broker.inspect.MessageSummary;
import io.ringtable.broker.inspect.RemovedMessage;
import io.ringtable.broker.inspect.ShownMessage;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.PublisherLogin;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Mailbox;
import io.ringtable.broker.work.Work;
import io.ringtable.wire.Poison;
import io.ringtable.wire.Sections;
import jakarta.jms.BytesMessage;
import jakarta.jms.MapMessage;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.StringNode;

/** Tests what administrators see of messages and do with them, beside clients of Qpid JMS. */
class InspectScenarioTest extends InspectScenario {
    @Test
    void messagesAreListedInPagesAlsoThoseThatAConsumerHas() throws Exception {
        publish("1", "2", "3", "4", "5");
        MessageConsumer consumer = session.createConsumer(session.createQueue(name));
        assertThat(((TextMessage) consumer.receive(WAIT_MS)).getText()).isEqualTo("1");
        await().untilAsserted(() -> assertThat(previews(all())).containsExactly("2", "3", "4", "5"));
        MessagePage first =
                answer(inspector().browse(new MessageQuery(reader(), null, null, 0, Long.MAX_VALUE, 3, -1)));
        assertThat(first.items()).extracting(MessageSummary::preview).containsExactly("2", "3", "4");
        assertThat(first.next()).isEqualTo(first.items().get(2).sequence());
        assertThat(previews(new MessageQuery(reader(), null, null, 0, Long.MAX_VALUE, 3, first.next())))
                .containsExactly("5");
        assertThat(((TextMessage) consumer.receive(WAIT_MS)).getText())
                .as("nothing was taken")
                .isEqualTo("2");
    }

    @Test
    void messagesAreFoundByIdSelectorAndTime() throws Exception {
        MessageProducer producer = producer();
        TextMessage red = session.createTextMessage("red");
        red.setStringProperty("color", "red");
        red.setJMSCorrelationID("order 7");
        producer.send(red);
        Instant between = Instant.now();
        await().until(() -> Instant.now().isAfter(between.plusMillis(5)));
        TextMessage blue = session.createTextMessage("blue");
        blue.setStringProperty("color", "blue");
        producer.send(blue);

        assertThat(previews(new MessageQuery(reader(), null, red.getJMSMessageID(), 0, Long.MAX_VALUE, 10, -1)))
                .containsExactly("red");
        assertThat(previews(new MessageQuery(
                        reader(), null, red.getJMSMessageID().substring(3), 0, Long.MAX_VALUE, 10, -1)))
                .as("without ID:")
                .containsExactly("red");
        assertThat(previews(new MessageQuery(
                        reader(), inspector().selector("color = 'blue'"), null, 0, Long.MAX_VALUE, 10, -1)))
                .containsExactly("blue");
        assertThat(previews(new MessageQuery(
                        reader(),
                        inspector().selector("JMSCorrelationID = 'order 7'"),
                        null,
                        0,
                        Long.MAX_VALUE,
                        10,
                        -1)))
                .containsExactly("red");
        long time = between.toEpochMilli() + 1;
        assertThat(previews(new MessageQuery(reader(), null, null, time, Long.MAX_VALUE, 10, -1)))
                .containsExactly("blue");
        assertThat(previews(new MessageQuery(reader(), null, null, 0, time, 10, -1)))
                .containsExactly("red");
        assertThatThrownBy(() -> inspector().selector("color ="))
                .hasMessageContaining("RT-7205")
                .hasMessageContaining("color =");
    }

    /** More than a lap of the ring: what is owed lies in the backlog and in the ring. */
    @Test
    void backlogAndRingAreListedAsOneWhileConsumersRun() throws Exception {
        Session transacted = connection.createSession(true, Session.SESSION_TRANSACTED);
        MessageProducer producer = transacted.createProducer(transacted.createQueue(name));
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < 12_000; i++) {
            texts.add("message " + i);
            producer.send(transacted.createTextMessage("message " + i));
            if (i % 1_000 == 999) {
                transacted.commit();
            }
        }
        List<MessageSummary> found = list(all());
        assertThat(found).extracting(MessageSummary::preview).isEqualTo(texts);
        assertThat(found)
                .extracting(MessageSummary::place)
                .startsWith("backlog")
                .endsWith("ring");
        assertThat(found).extracting(MessageSummary::sequence).isSorted();

        Session reading = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        MessageConsumer consumer = reading.createConsumer(reading.createQueue(name));
        for (int i = 0; i < 3_000; i++) {
            assertThat(((TextMessage) consumer.receive(WAIT_MS)).getText()).isEqualTo("message " + i);
            if (i % 300 == 0) {
                assertThat(new HashSet<>(previews(all())).containsAll(texts.subList(i + 1, texts.size())))
                        .as("all that has not been received, at least")
                        .isTrue();
            }
        }
        long since = found.get(11_990).publishedAt().toEpochMilli();
        assertThat(previews(new MessageQuery(reader(), null, null, since, Long.MAX_VALUE, 1_000, -1)))
                .as("a leap over the backlog")
                .contains("message 11990", "message 11999")
                .doesNotContain("message 3000");
    }

    @Test
    void aMessageIsShownDecoded() throws Exception {
        MessageProducer producer = producer();
        MapMessage map = session.createMapMessage();
        map.setString("city", "Bern");
        map.setInt("zip", 3000);
        map.setStringProperty("color", "red");
        producer.send(map, jakarta.jms.DeliveryMode.PERSISTENT, 7, 0);
        BytesMessage bytes = session.createBytesMessage();
        bytes.writeBytes(new byte[200_000]);
        producer.send(bytes);

        List<MessageSummary> items = list(all());
        ShownMessage shown = answer(inspector().show(items.get(0).sequence(), InspectScenario::permit));
        assertThat(shown.address()).isEqualTo(name);
        assertThat(shown.priority()).isEqualTo(7);
        assertThat(shown.applicationProperties()).containsEntry("color", "red");
        assertThat(shown.properties()).containsEntry("messageId", map.getJMSMessageID());
        assertThat(shown.body().type()).isEqualTo("map");
        assertThat(shown.body().json().get("city").asString()).isEqualTo("Bern");
        ShownMessage large = answer(inspector().show(items.get(1).sequence(), InspectScenario::permit));
        assertThat(large.body().truncated()).isTrue();
        assertThat(large.body().bytes()).isEqualTo(200_000);
        assertThat(large.body().hex()).hasSize(2 * Inspector.BODY_SHOWN_MAX);
    }

    @Test
    void aHostileBodyIsShownInHexadecimalDigitsAndHarmsNobody() throws Exception {
        publish("before");
        Address queue = reader().address();
        byte[] hostile = new Poison()
                .put(0, 0x53, Sections.VALUE)
                .put(Poison.nested(20_000, 0))
                .bytes();
        assertThat(queue.quota().tryReserve(1, hostile.length)).isTrue();
        CompletableFuture<Void> stored = new CompletableFuture<>();
        broker.shard()
                .homeOf(queue)
                .committer()
                .trySubmit(Work.publish(
                        new io.ringtable.broker.message.Message(queue, System.currentTimeMillis(), 4, 0, 0, hostile, 0),
                        completing(stored)));
        answer(stored);
        publish("after");
        List<MessageSummary> items = list(all());
        assertThat(items).hasSize(3);
        ShownMessage shown = answer(inspector().show(items.get(1).sequence(), InspectScenario::permit));
        assertThat(shown.body().type()).isEqualTo("unreadable");
        assertThat(shown.body().hex()).startsWith("005377d0");
        assertThat(answer(inspector().explain(items.get(1).sequence(), InspectScenario::permit))
                        .owing())
                .hasSize(1);
        assertThat(previews(new MessageQuery(
                        reader(), inspector().selector("color IS NULL"), null, 0, Long.MAX_VALUE, 10, -1)))
                .as("a selector passes over it")
                .contains("before", "after");
    }

    private static Completion completing(CompletableFuture<Void> future) {
        return new Completion() {
            @Override
            public void accepted() {
                future.complete(null);
            }

            @Override
            public void refused(Refusal refusal) {
                future.completeExceptionally(new Refusal.Refused(refusal));
            }

            @Override
            public Mailbox mailbox() {
                return Mailbox.NONE;
            }
        };
    }

    @Test
    void whoIsNotPermittedSeesNothing() throws Exception {
        publish("secret");
        long sequence = list(all()).get(0).sequence();
        for (CompletionStage<?> asked : List.of(
                inspector().show(sequence, InspectScenarioTest::refuse),
                inspector().explain(sequence, InspectScenarioTest::refuse),
                inspector().remove(sequence, null, InspectScenarioTest::refuse),
                inspector().copy(sequence, name, draft("x"), PublisherLogin.NOBODY, InspectScenarioTest::refuse))) {
            assertThatThrownBy(() -> answer(asked)).hasRootCauseMessage("not for you");
        }
        assertThat(previews(all())).containsExactly("secret");
    }

    private static void refuse(Address address) {
        throw new IllegalStateException("not for you");
    }

    @Test
    void whatIsSentArrivesAndACorrectedCopyIsTheOriginalWithItsCorrection() throws Exception {
        MessageConsumer consumer = session.createConsumer(session.createQueue(name));
        answer(inspector()
                .send(
                        name,
                        new MessageDraft(null, Map.of("subject", "new"), Map.of("size", 3), new StringNode("hi"), null),
                        PublisherLogin.NOBODY));
        TextMessage sent = (TextMessage) consumer.receive(WAIT_MS);
        assertThat(sent.getText()).isEqualTo("hi");
        assertThat(sent.getJMSType()).isEqualTo("new");
        assertThat(sent.getIntProperty("size")).isEqualTo(3);
        consumer.close();

        TextMessage original = session.createTextMessage("worng");
        original.setStringProperty("color", "red");
        producer().send(original);
        long sequence = list(all()).get(0).sequence();
        answer(inspector().copy(sequence, name, draft("wrong"), PublisherLogin.NOBODY, InspectScenario::permit));
        assertThat(previews(all())).containsExactly("worng", "wrong");
        consumer = session.createConsumer(session.createQueue(name));
        consumer.receive(WAIT_MS);
        TextMessage corrected = (TextMessage) consumer.receive(WAIT_MS);
        assertThat(corrected.getText()).isEqualTo("wrong");
        assertThat(corrected.getStringProperty("color")).isEqualTo("red");
        assertThatThrownBy(() -> answer(inspector().send("nowhere", draft("x"), PublisherLogin.NOBODY)))
                .hasMessageContaining("RT-7207")
                .hasMessageContaining("create it first");
    }

    @Test
    void aRemovedMessageIsNotDelivered() throws Exception {
        publish("1", "2", "3");
        List<MessageSummary> items = list(all());
        RemovedMessage removed = answer(inspector().remove(items.get(1).sequence(), null, InspectScenario::permit));
        assertThat(removed).isEqualTo(new RemovedMessage(1, List.of()));
        assertThat(previews(all())).containsExactly("1", "3");
        assertThatThrownBy(() -> answer(inspector().remove(items.get(1).sequence(), null, InspectScenario::permit)))
                .hasMessageContaining("RT-7203");
        MessageConsumer consumer = session.createConsumer(session.createQueue(name));
        assertThat(((TextMessage) consumer.receive(WAIT_MS)).getText()).isEqualTo("1");
        assertThat(((TextMessage) consumer.receive(WAIT_MS)).getText()).isEqualTo("3");
    }
}

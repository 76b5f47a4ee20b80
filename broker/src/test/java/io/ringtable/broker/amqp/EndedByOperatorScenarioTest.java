package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.CoreMatchers.containsString;

import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.Producer;
import io.ringtable.broker.catalog.ProducerEntry;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.status.ConnectionStatus;
import io.ringtable.broker.status.LinkStatus;
import io.ringtable.broker.status.TransactionStatus;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.qpid.protonj2.test.driver.ProtonTestClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Operators end connections, links, transactions and producers while clients use the broker. */
@Timeout(120)
class EndedByOperatorScenarioTest extends OperatorScenario {
    @Test
    void aConnectionThatIsClosedHearsWhoClosedIt() throws Exception {
        List<String> heard = new CopyOnWriteArrayList<>();
        client.setExceptionListener(failure -> heard.add(failure.getMessage()));

        get(broker.connections().close(only().id(), BY));

        await().untilAsserted(() -> assertThat(heard)
                .anySatisfy(text -> assertThat(text).contains("RT-4372", BY, "amqp:connection:forced")));
        await().until(() -> broker.counters().connections.sum() == 0);
    }

    @Test
    void aSocketBeforeItsLoginIsClosedToo() throws Exception {
        client.close();
        await().until(() -> broker.counters().connections.sum() == 0);
        try (Socket socket = new Socket("127.0.0.1", broker.port())) {
            await().until(() -> broker.counters().connections.sum() == 1);
            ConnectionStatus status = only();
            assertThat(status.open()).isFalse();

            get(broker.connections().close(status.id(), BY));

            socket.setSoTimeout((int) WAIT_MS);
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void aLinkThatIsDetachedHearsWhoDetachedIt() throws Exception {
        ProtonTestClient peer = FramePeer.open(broker, "peer");
        try {
            FramePeer.attachReceiver(peer, "reader", 0, "detached");
            peer.expectDetach().withClosed(true).withError("amqp:link:detach-forced", containsString("RT-4373"));

            get(broker.connections().detach(link(LinkStatus.CONSUMER).id(), BY));

            FramePeer.done(peer);
            assertThat(get(broker.connections().links(100, null, null, null)).items())
                    .isEmpty();
        } finally {
            peer.close();
        }
    }

    @Test
    void aDurableSubscriptionOutlivesItsDetachedLink() throws Exception {
        Session session = client.createSession(false, Session.AUTO_ACKNOWLEDGE);
        Topic topic = session.createTopic("news");
        session.createDurableConsumer(topic, "paper");

        get(broker.connections().detach(link(LinkStatus.CONSUMER).id(), BY));

        try (Connection other = connect("other", PREFETCH)) {
            Session publishing = other.createSession(false, Session.AUTO_ACKNOWLEDGE);
            publishing.createProducer(topic).send(publishing.createTextMessage("kept"));
        }
        Session again = client.createSession(false, Session.AUTO_ACKNOWLEDGE);
        assertThat(again.createDurableConsumer(topic, "paper").receive(WAIT_MS).getBody(String.class))
                .isEqualTo("kept");
    }

    @Test
    void aTransactionThatIsRolledBackTellsItsClientAtTheCommitAndLetsOthersHaveItsMessages() throws Exception {
        client.close();
        client = connect("pulling", 0); // what goes back is free for others
        await().until(() -> broker.counters().connections.sum() == 1);
        Session session = client.createSession(true, Session.SESSION_TRANSACTED);
        Queue queue = session.createQueue("work");
        MessageProducer producer = session.createProducer(queue);
        producer.send(session.createTextMessage("work"));
        session.commit();
        assertThat(session.createConsumer(queue).receive(WAIT_MS)).isNotNull();
        producer.send(session.createTextMessage("lost"));
        await().until(() -> transactions().size() == 1 && transactions().get(0).settlements() == 1);

        TransactionStatus open = transactions().get(0);
        assertThat(open.connection()).isEqualTo(only().id());
        assertThat(open.id()).startsWith(open.connection() + ".t");
        assertThat(open.messages()).isEqualTo(1);
        assertThat(open.bytes()).isPositive();
        assertThat(open.rolledBack()).isNull();
        get(broker.connections().rollBack(open.id(), BY));

        assertThat(transactions().get(0).rolledBack()).contains("RT-4374");
        try (Connection other = connect("other", PREFETCH)) {
            Session reading = other.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Message again = reading.createConsumer(queue).receive(WAIT_MS);
            assertThat(again.getBody(String.class)).isEqualTo("work");
        }
        assertThatThrownBy(session::commit)
                .isInstanceOf(JMSException.class)
                .hasMessageContaining("amqp:transaction:rollback")
                .hasMessageContaining("RT-4374")
                .hasMessageContaining(BY);
        session.rollback();
    }

    private static List<TransactionStatus> transactions() throws Exception {
        return get(broker.connections().transactions(100, null, null)).items();
    }

    @Test
    void aProducerIsListedAndForgottenOnceNoLinkAttendsIt() throws Exception {
        CatalogMailbox catalog = broker.shard().catalog();
        Address address = get(catalog.ensure("numbered", AddressKind.QUEUE));
        Producer attending = get(catalog.attend(address, "Import", 0, "user 'anna'", () -> {}));
        get(catalog.attend(address, "other", 0, null, () -> {}));

        List<ProducerEntry> found = get(catalog.producers(0, 10, address, "import"));
        assertThat(found).extracting(ProducerEntry::name).containsExactly("Import");
        assertThat(found.get(0).attendedBy()).isEqualTo("user 'anna'");
        assertThat(get(catalog.producers(0, 1, null, null))).hasSize(1);
        assertThat(get(catalog.producers(found.get(0).id(), 10, address, null)))
                .extracting(ProducerEntry::name)
                .containsExactly("other");
        assertRefused(() -> get(catalog.forget(address, "Import")), "RT-4379");

        catalog.leave(attending);
        get(catalog.forget(address, "Import"));

        assertThat(get(catalog.producers(0, 10, address, "import"))).isEmpty();
        assertRefused(() -> get(catalog.forget(address, "Import")), "RT-4378");
        assertThat(get(catalog.attend(address, "Import", 0, null, () -> {})).incarnation())
                .as("it begins anew")
                .isEqualTo(1);
    }
}

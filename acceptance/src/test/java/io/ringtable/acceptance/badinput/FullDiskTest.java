package io.ringtable.acceptance.badinput;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.Jms;
import io.ringtable.acceptance.harness.SmallDisk;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.ResourceAllocationException;
import jakarta.jms.Session;
import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.apache.qpid.jms.JmsSendTimedOutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The disk fills up while messages are published. */
class FullDiskTest {
    private static final int SENDS_MOST = 20_000; // far more than the disk can hold

    @RegisterExtension
    final Bench bench = new Bench();

    @ParameterizedTest(name = "{0} bytes")
    @ValueSource(ints = {5_000, 100_000}) // within a slot, and beside it
    void whatWasAcceptedSurvivesAndPublishersAreTold(int bodyBytes) throws Exception {
        SmallDisk disk = bench.closing(SmallDisk.mount(bench.directory().resolve("disk"), 48));
        BrokerProcess broker = bench.broker(settings -> settings.with(
                                "ringtable.data-dir", disk.directory().resolve("data"))
                        .with("ringtable.watermark.free-disk-bytes", "0B") // else nobody could fill it
                        .oneShard()
                        .with("ringtable.ring.capacity", 16_384))
                .start();

        List<Integer> accepted = new ArrayList<>();
        JMSException refusal = sendUntilRefused(broker, bodyBytes, accepted);

        assertThat(accepted).as("accepted before the disk was full").isNotEmpty();
        assertThat(refusal).as("what the publisher is told").isInstanceOf(ResourceAllocationException.class);
        assertThat(refusal.getMessage()).contains("RT-3012 ", "ringtable.db", "free space");

        disk.resize(256);
        if (broker.isAlive()) {
            broker.stop();
        }
        broker.start();
        assertThat(receiveAll(broker, accepted.size())).containsSubsequence(accepted);
        Jms.send(broker.amqpUrl(), "more", 10);
        assertThat(Jms.receive(broker.amqpUrl(), "more", 10)).isEqualTo(Jms.bodies(10));
    }

    /** The broker looks ten times a second: what comes until a look that is late has to fit below the watermark. */
    @Test
    void publishersAreHeldBackBeforeTheDiskIsFull() throws Exception {
        SmallDisk disk = bench.closing(SmallDisk.mount(bench.directory().resolve("disk"), 224));
        BrokerProcess broker = bench.broker(settings -> settings.with(
                                "ringtable.data-dir", disk.directory().resolve("data"))
                        .with("ringtable.watermark.free-disk-bytes", "144MB")
                        .oneShard()
                        .with("ringtable.ring.capacity", 16_384))
                .start();

        List<Integer> accepted = new ArrayList<>();
        JMSException heldBack = sendUntilRefused(broker, 100_000, accepted);

        assertThat(heldBack).as("a publisher without credit").isInstanceOf(JmsSendTimedOutException.class);
        assertThat(disk.directory().toFile().getUsableSpace()).isPositive();
        assertThat(isHeldBack(broker)).isTrue();

        disk.resize(512);
        Jms.send(broker.amqpUrl(), "more", 10);
        assertThat(receiveAll(broker, accepted.size())).containsSubsequence(accepted);
    }

    private static JMSException sendUntilRefused(BrokerProcess broker, int bodyBytes, List<Integer> accepted)
            throws JMSException {
        String url = broker.amqpUrl() + "?jms.sendTimeout=1000"; // how long it waits for credit
        try (Connection connection = new JmsConnectionFactory(url).createConnection()) {
            Session session = connection.createSession();
            MessageProducer producer = session.createProducer(session.createQueue("large"));
            for (int sends = 0; sends < SENDS_MOST; sends++) {
                int n = accepted.size();
                BytesMessage message = session.createBytesMessage();
                message.writeBytes(new byte[bodyBytes]);
                message.setIntProperty("n", n);
                try {
                    producer.send(message);
                    accepted.add(n);
                } catch (JmsSendTimedOutException late) {
                    if (isHeldBack(broker)) {
                        return late;
                    } // else the disk is slow
                } catch (JMSException refused) {
                    return refused;
                }
            }
        }
        return null;
    }

    private static boolean isHeldBack(BrokerProcess broker) {
        return broker.http("/status").body().contains("ringtable.watermark.free-disk-bytes=");
    }

    /** One more may be there: one whose outcome was lost. */
    private static List<Integer> receiveAll(BrokerProcess broker, int least) throws JMSException {
        List<Integer> received = new ArrayList<>();
        try (Connection connection = Jms.factory(broker.amqpUrl()).createConnection()) {
            Session session = connection.createSession();
            MessageConsumer consumer = session.createConsumer(session.createQueue("large"));
            connection.start();
            Message message = consumer.receive(60_000);
            while (message != null) {
                received.add(message.getIntProperty("n"));
                message = received.size() < least ? consumer.receive(60_000) : consumer.receiveNoWait();
            }
        }
        return received;
    }
}

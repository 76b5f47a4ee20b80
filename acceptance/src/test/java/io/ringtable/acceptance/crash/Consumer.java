package io.ringtable.acceptance.crash;

import static org.awaitility.Awaitility.await;

import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.Jms;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;

/** Receives a few messages in each transaction; one in ten is rolled back, so that its messages rest and come again. */
final class Consumer extends Client {
    private static final long RECEIVE_MS = 200;
    private static final int MESSAGES_MAX = 10; // of a transaction
    private static final Duration LOOK = Duration.ofMillis(100); // each asks for messages of every queue

    private final String queue;
    private final int most;
    private final Ledger ledger;
    private final Random random;

    Consumer(String url, String queue, Ledger ledger, long seed) {
        this(url, queue, MESSAGES_MAX, ledger, seed);
    }

    /** @param most messages of a transaction */
    Consumer(String url, String queue, int most, Ledger ledger, long seed) {
        super(url);
        this.queue = queue;
        this.most = most;
        this.ledger = ledger;
        this.random = new Random(seed);
    }

    @Override
    void work(Session session) throws JMSException {
        MessageConsumer consumer = session.createConsumer(session.createQueue(queue));
        while (!isEnded()) {
            List<Integer> numbers = new ArrayList<>();
            for (int count = 1 + random.nextInt(most); numbers.size() < count; ) {
                Message message = consumer.receive(RECEIVE_MS);
                if (message == null) {
                    break;
                }
                numbers.add(look(queue, ledger, message));
            }
            if (random.nextInt(10) == 0) {
                session.rollback();
            } else {
                commit(session, numbers);
            }
        }
    }

    private void commit(Session session, List<Integer> numbers) throws JMSException {
        int groups = queue.equals(Publisher.GROUPED) ? Publisher.GROUPS : 0;
        boolean known = false;
        try {
            session.commit();
            known = true;
        } finally {
            ledger.settled(queue, numbers, groups, known);
        }
    }

    private static int look(String queue, Ledger ledger, Message message) throws JMSException {
        int number = Integer.parseInt(message.getBody(String.class));
        int group = queue.equals(Publisher.GROUPED) ? number % Publisher.GROUPS : -1;
        ledger.received(queue, number, group, message.getJMSRedelivered());
        long early = message.getJMSDeliveryTime() - System.currentTimeMillis();
        if (early > 0) {
            ledger.tooEarly(queue, number, early);
        }
        return number;
    }

    /**
     * Consumes every message that is left, until the broker owes nothing: resting and delayed messages come in their
     * time.
     *
     * @param ledgers by queue
     */
    static void drain(BrokerProcess broker, List<String> queues, Function<String, Ledger> ledgers, Duration most)
            throws JMSException {
        try (Connection connection = Jms.factory(broker.amqpUrl()).createConnection()) {
            connection.start();
            Session session = connection.createSession();
            Map<String, MessageConsumer> consumers = new HashMap<>();
            for (String queue : queues) {
                consumers.put(queue, session.createConsumer(session.createQueue(queue)));
            }
            await("that nothing is owed")
                    .atMost(most)
                    .pollInterval(LOOK)
                    .pollInSameThread()
                    .until(() -> {
                        for (Map.Entry<String, MessageConsumer> each : consumers.entrySet()) {
                            for (Message message; (message = each.getValue().receiveNoWait()) != null; ) {
                                look(each.getKey(), ledgers.apply(each.getKey()), message);
                            }
                        }
                        return broker.owesNothing();
                    });
        }
    }
}

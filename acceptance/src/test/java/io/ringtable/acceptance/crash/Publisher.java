package io.ringtable.acceptance.crash;

import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.util.List;
import java.util.Random;

/** Transactions, numbered, each with one message for each of its queues; one in ten is rolled back. */
final class Publisher extends Client {
    static final String GROUPED = "grouped";
    static final String DELAYED = "delayed";
    static final List<String> QUEUES = List.of("left", "right", GROUPED, DELAYED);
    static final int GROUPS = 7;
    private static final int DELAY_MAX_MS = 2_000;

    private final List<String> queues;
    private final Ledger ledger;
    private final Random random;
    private int number;

    Publisher(String url, List<String> queues, Ledger ledger, long seed) {
        super(url);
        this.queues = queues;
        this.ledger = ledger;
        this.random = new Random(seed);
    }

    @Override
    void work(Session session) throws JMSException {
        MessageProducer producer = session.createProducer(null);
        while (!isEnded()) {
            boolean rollsBack = random.nextInt(10) == 0;
            int its = number++;
            ledger.sent(its, rollsBack ? Ledger.Sent.ROLLED_BACK : Ledger.Sent.UNKNOWN);
            for (String queue : queues) {
                Message message = session.createTextMessage(Integer.toString(its));
                producer.setDeliveryDelay(queue.equals(DELAYED) ? 1 + random.nextInt(DELAY_MAX_MS) : 0);
                if (queue.equals(GROUPED)) {
                    message.setStringProperty("JMSXGroupID", Integer.toString(its % GROUPS));
                }
                producer.send(session.createQueue(queue), message);
            }
            if (rollsBack) {
                session.rollback();
            } else {
                session.commit();
                ledger.sent(its, Ledger.Sent.COMMITTED);
            }
        }
    }
}

package io.ringtable.spring.boot.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.ringtable.client.Receiver;
import io.ringtable.client.RingtableClient;
import io.ringtable.spring.RingtableTemplate;
import io.ringtable.spring.boot.OneBroker;
import io.ringtable.spring.boot.StarterScenario;
import io.ringtable.spring.boot.app.Bookings;
import io.ringtable.spring.boot.app.SdkListeners;
import io.ringtable.spring.boot.app.SdkListeners.Order;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.transaction.support.TransactionTemplate;

/** The template and listeners of the SDK with the application's Jackson, validator, transactions and observations. */
class ListenerScenarioTest extends StarterScenario {
    @Autowired
    RingtableTemplate template;

    @Autowired
    RingtableClient client;

    @Autowired
    SdkListeners listeners;

    @Autowired
    Bookings bookings;

    @Autowired
    TransactionTemplate transactions;

    @Autowired
    MeterRegistry meters;

    @Test
    void payloadsAreWrittenAndReadByTheApplicationsJackson() throws Exception {
        template.convertAndSend("queue://sdk-orders", new Order("book", 1));
        assertThat(listeners.next()).isEqualTo(new Order("book", 1));
        try (Receiver receiver = client.receiver("queue://sdk-confirmed")) {
            assertThat(receiver.receive(OneBroker.SOON).orElseThrow().text())
                    .isEqualTo("{\"article_name\":\"book\",\"count\":2}");
        }
    }

    @Test
    void payloadsAreValidated() throws Exception {
        template.convertAndSend("queue://sdk-checked", new Order(" ", 1));
        template.convertAndSend("queue://sdk-checked", new Order("a valid one", 2));
        assertThat(listeners.next()).isEqualTo(new Order("a valid one", 2));
    }

    @Test
    void aTransactionalListenerStoresOnce() {
        template.convertAndSend("queue://sdk-transactional", new Order("stored by a listener", 1));
        await().untilAsserted(
                        () -> assertThat(bookings.count("stored by a listener")).isEqualTo(1));
        await().untilAsserted(
                        () -> assertThat(bookings.owed("sdk-transactional")).isZero());
        assertThat(bookings.count("stored by a listener")).isEqualTo(1);
    }

    @Test
    void theTemplatePublishesInTheThreadsTransaction() {
        transactions.executeWithoutResult(status -> {
            template.convertAndSendInTransaction("queue://sdk-in-transaction", "undone");
            status.setRollbackOnly();
        });
        transactions.executeWithoutResult(
                status -> template.convertAndSendInTransaction("queue://sdk-in-transaction", "done"));
        try (Receiver receiver = client.receiver("queue://sdk-in-transaction")) {
            assertThat(receiver.receive(OneBroker.SOON).orElseThrow().text()).isEqualTo("done");
        }
    }

    @Test
    void sendingAndProcessingAreObserved() throws Exception {
        template.convertAndSend("queue://sdk-checked", new Order("observed", 1));
        assertThat(listeners.next()).isEqualTo(new Order("observed", 1));
        assertThat(count("messaging.client.operation.duration")).isPositive();
        await().untilAsserted(
                        () -> assertThat(count("messaging.process.duration")).isPositive());
    }

    private long count(String timer) {
        return meters.find(timer).timers().stream().mapToLong(Timer::count).sum();
    }
}

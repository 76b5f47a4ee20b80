package io.ringtable.spring.boot.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.spring.boot.StarterScenario;
import io.ringtable.spring.boot.app.JmsListeners;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jms.config.JmsListenerEndpointRegistry;
import org.springframework.jms.core.JmsClient;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.jms.listener.DefaultMessageListenerContainer;

/** JMS with the starter and not a line of code for it. */
class JmsScenarioTest extends StarterScenario {
    @Autowired
    JmsTemplate template;

    @Autowired
    JmsClient client;

    @Autowired
    JmsListeners listeners;

    @Autowired
    JmsListenerEndpointRegistry registry;

    @Test
    void aTemplateSendsAndAListenerHears() throws Exception {
        template.convertAndSend("jms-orders", "by the template");
        assertThat(listeners.nextOfQueue()).isEqualTo("by the template");
        client.destination("queue://jms-orders").send("by the client");
        assertThat(listeners.nextOfQueue()).isEqualTo("by the client");
    }

    @Test
    void aTemplateReceivesFromAQueue() {
        template.convertAndSend("queue://jms-pulled", "one");
        assertThat(template.receiveAndConvert("jms-pulled")).isEqualTo("one");
    }

    @Test
    void aListenerThatFailsGetsTheMessageAgain() throws Exception {
        template.convertAndSend("jms-fallible", JmsListeners.FAIL_ONCE);
        assertThat(listeners.nextFallible()).isEqualTo(JmsListeners.FAIL_ONCE + " 1");
        assertThat(listeners.nextFallible()).isEqualTo(JmsListeners.FAIL_ONCE + " 2");
        template.convertAndSend("jms-fallible", "next");
        assertThat(listeners.nextFallible()).as("nothing comes a third time").isEqualTo("next 1");
    }

    @Test
    void aTemplateSendsInTheTransactionOfTheListenerThatUsesIt() {
        template.convertAndSend("jms-forward", "attempt");
        assertThat(template.receiveAndConvert("jms-forwarded"))
                .as("the first that comes")
                .isEqualTo("attempt 2");
    }

    @Test
    void anAnswerGoesToTheTopicThatItsListenerNames() throws Exception {
        awaitConsumers("news", 1);
        template.convertAndSend("jms-requests", "the world");
        assertThat(listeners.nextOfTopic()).isEqualTo("news of the world");
    }

    @Test
    void listenersOfOneSubscriptionShareItAndItOutlivesThem() throws Exception {
        awaitConsumers("courier-1", 1);
        awaitConsumers("courier-2", 1);
        IntStream.range(0, 20).forEach(n -> template.convertAndSend("topic://jms-parcels", "parcel " + n));
        assertThat(next20()).as("each parcel once").hasSize(20);
        registry.getListenerContainer("courier-1").stop();
        registry.getListenerContainer("courier-2").stop();
        template.convertAndSend("topic://jms-parcels", "late");
        registry.getListenerContainer("courier-1").start();
        registry.getListenerContainer("courier-2").start();
        assertThat(listeners.nextShared()).isEqualTo("late");
    }

    @Test
    void threadsOfOneListenerShareItsSubscription() throws Exception {
        awaitConsumers("threads", 2);
        template.convertAndSend("topic://jms-threads", "one");
        template.convertAndSend("topic://jms-threads", "two");
        assertThat(Set.of(listeners.nextOfThreads(), listeners.nextOfThreads()))
                .containsExactlyInAnyOrder("one", "two");
        template.convertAndSend("topic://jms-threads", "three");
        assertThat(listeners.nextOfThreads())
                .as("no second copy comes before it")
                .isEqualTo("three");
    }

    private Set<String> next20() throws InterruptedException {
        Set<String> texts = new TreeSet<>();
        for (int n = 0; n < 20; n++) {
            texts.add(listeners.nextShared());
        }
        return texts;
    }

    /** Subscriptions begin in the background, and what is published before is not theirs. */
    private void awaitConsumers(String id, int count) {
        DefaultMessageListenerContainer container = (DefaultMessageListenerContainer) registry.getListenerContainer(id);
        await().until(() -> container.isRegisteredWithDestination() && container.getScheduledConsumerCount() >= count);
    }
}

package io.ringtable.spring;

import static io.ringtable.spring.SharedBroker.SOON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.client.ReceivedMessage;
import io.ringtable.client.RingtableClient;
import io.ringtable.spring.annotation.RingtableListener;
import io.ringtable.spring.listener.RingtableListenerContainer;
import io.ringtable.spring.support.RingtableHeaders;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.messaging.handler.annotation.Header;

/** Tests which messages the consumers of a listener get: of groups, of topics, by selector, and of the past. */
@Timeout(120)
@ExtendWith(SharedBroker.class)
class ListenerSubscriptionTest {

    static class TakesGroups {
        final Map<String, List<Integer>> numbers = new ConcurrentHashMap<>();
        final Set<String> threads = ConcurrentHashMap.newKeySet();

        @RingtableListener(addresses = "${address}", concurrency = "4", prefetch = "10")
        void take(String number, @Header(RingtableHeaders.GROUP_ID) String group) {
            threads.add(Thread.currentThread().getName());
            numbers.computeIfAbsent(group, any -> Collections.synchronizedList(new ArrayList<>()))
                    .add(Integer.parseInt(number));
        }
    }

    @Test
    void severalConsumersKeepTheOrderOfEachGroup() {
        TakesGroups listener = new TakesGroups();
        String address = SharedBroker.queue();
        try (Listeners application = Listeners.start(address, listener)) {
            for (int n = 0; n < 100; n++) {
                for (String group : List.of("a", "b", "c", "d", "e", "f", "g", "h")) {
                    application
                            .template()
                            .sendAsync(address, Integer.toString(n), Map.of(RingtableHeaders.GROUP_ID, group));
                }
            }
            await().until(() ->
                    listener.numbers.values().stream().mapToInt(List::size).sum() == 800);
            assertThat(listener.numbers.values())
                    .hasSize(8)
                    .allSatisfy(numbers -> assertThat(numbers).isSorted().hasSize(100));
            assertThat(listener.threads).hasSizeGreaterThan(1);
        }
    }

    static class Replays extends Collecting<String> {
        @RingtableListener(addresses = "${address}", subscription = "${name}", shared = true, since = "1h")
        void take(String text) {
            got.add(text);
        }
    }

    @Test
    void aDurableSubscriptionBeginsInThePast() throws Exception {
        String topic = "topic://kept." + SharedBroker.name();
        RingtableTemplate template = new RingtableTemplate(SharedBroker.client());
        template.convertAndSend(topic, "before");
        Replays listener = new Replays();
        Map<String, Object> properties = Map.of("address", topic, "name", SharedBroker.name());
        try (Listeners application = Listeners.start(SharedBroker.client(), properties, listener, factory -> {})) {
            template.convertAndSend(topic, "after");
            assertThat(List.of(listener.next(), listener.next())).containsExactly("before", "after");
            application.registry().stop();
        }
        template.convertAndSend(topic, "while away");
        try (Listeners again = Listeners.start(SharedBroker.client(), properties, listener, factory -> {})) {
            assertThat(again.registry().isRunning()).isTrue();
            assertThat(listener.next()).as("it goes on where it was").isEqualTo("while away");
        }
        template.destroy();
    }

    static class SharesWork extends Collecting<String> {
        final Set<String> threads = ConcurrentHashMap.newKeySet();

        @RingtableListener(
                addresses = "${address}",
                subscription = "${name}",
                shared = true,
                durable = false,
                concurrency = "2",
                prefetch = "1")
        void take(String text) {
            threads.add(Thread.currentThread().getName());
            got.add(text);
        }
    }

    @Test
    void consumersOfASharedSubscriptionGetEachMessageOnce() throws Exception {
        String topic = SharedBroker.topic();
        SharesWork listener = new SharesWork();
        Map<String, Object> properties = Map.of("address", topic, "name", SharedBroker.name());
        try (Listeners application = Listeners.start(SharedBroker.client(), properties, listener, factory -> {})) {
            for (int n = 0; n < 50; n++) {
                application.template().convertAndSend(topic, "message " + n);
            }
            Set<String> texts = new HashSet<>();
            for (int n = 0; n < 50; n++) {
                assertThat(texts.add(listener.next())).isTrue();
            }
            assertThat(listener.threads).hasSize(2);
        }
    }

    static class Chooses extends Collecting<String> {
        @RingtableListener(addresses = "${address}", selector = "country = '${country}'")
        @RingtableListener(id = "second", addresses = "${other}")
        void take(String text) {
            got.add(text);
        }
    }

    @Test
    void aSelectorChoosesAndAMethodMayHaveSeveralAnnotations() throws Exception {
        String address = SharedBroker.queue();
        String other = SharedBroker.queue();
        Chooses listener = new Chooses();
        try (Listeners application = Listeners.start(
                SharedBroker.client(),
                Map.of("address", address, "other", other, "country", "PT"),
                listener,
                factory -> {})) {
            application.template().convertAndSend(address, "from Spain", Map.of("country", "ES"));
            application.template().convertAndSend(address, "from Portugal", Map.of("country", "PT"));
            assertThat(listener.next()).isEqualTo("from Portugal");
            application.template().convertAndSend(other, "from elsewhere");
            assertThat(listener.next()).isEqualTo("from elsewhere");
            assertThat(application.registry().containers().stream().map(RingtableListenerContainer::id))
                    .containsExactlyInAnyOrder("listeners.take", "second");
            assertThat(application.template().receive(address, SOON, ReceivedMessage::text))
                    .contains("from Spain");
        }
    }

    static class Audits extends Collecting<String> {
        @RingtableListener(addresses = "${address}", subscription = "audit")
        void take(String text) {
            got.add(text);
        }
    }

    @Test
    void aDurableSubscriptionOfTheClientCollectsWhileTheApplicationIsAway() throws Exception {
        String topic = SharedBroker.topic();
        Audits listener = new Audits();
        try (RingtableClient client = SharedBroker.connect("audit-" + topic).connect()) {
            Listeners.start(client, Map.of("address", topic), listener, factory -> {})
                    .close();
            new RingtableTemplate(client).convertAndSend(topic, "while away");
            try (Listeners application = Listeners.start(client, Map.of("address", topic), listener, factory -> {})) {
                assertThat(listener.next()).isEqualTo("while away");
                assertThat(application.registry().isRunning()).isTrue();
            }
        }
    }
}

package io.ringtable.spring;

import static io.ringtable.spring.SharedBroker.SOON;
import static io.ringtable.spring.SharedBroker.deadLetterOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.ringtable.client.Address;
import io.ringtable.client.ReceivedMessage;
import io.ringtable.client.ReceivedMessage.DeadLetter;
import io.ringtable.client.RingtableClient;
import io.ringtable.spring.annotation.RingtableListener;
import io.ringtable.spring.listener.AckMode;
import io.ringtable.spring.listener.Acknowledgment;
import io.ringtable.spring.listener.RingtableListenerContainer;
import io.ringtable.spring.listener.Settlement;
import io.ringtable.spring.observation.ProcessContext;
import io.ringtable.spring.observation.SendContext;
import io.ringtable.spring.support.RingtableHeaders;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.TextMessage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.aopalliance.intercept.MethodInterceptor;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.annotation.SendTo;
import org.springframework.messaging.support.MessageBuilder;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.Validated;

/**
 * Tests on the broker itself what methods with {@code @RingtableListener} get, and what becomes of their messages.
 * <p>Longer than others, because each form of a listener is a class and a test, and all share one broker.
 */
@Timeout(60)
@ExtendWith(SharedBroker.class)
class RingtableListenerTest {

    record Order(String item, int count) {}

    /** Collects what the methods of a test's listener got. */
    abstract static class Collecting<T> {
        final BlockingQueue<T> got = new LinkedBlockingQueue<>();

        T next() throws InterruptedException {
            T next = got.poll(SOON.toSeconds(), TimeUnit.SECONDS);
            assertThat(next).as("the next message").isNotNull();
            return next;
        }
    }

    static class TakesOrders extends Collecting<Order> {
        @RingtableListener("${address}")
        void take(Order order) {
            got.add(order);
        }
    }

    @Test
    void aMethodGetsItsPayloadConverted() throws Exception {
        TakesOrders listener = new TakesOrders();
        try (Listeners application = Listeners.start(SharedBroker.queue(), listener)) {
            application.template().convertAndSend(address(application), new Order("book", 2));
            assertThat(listener.next()).isEqualTo(new Order("book", 2));
            application.template().convertAndSend(address(application), "{\"item\":\"pen\",\"count\":1}");
            assertThat(listener.next()).as("text without a content type").isEqualTo(new Order("pen", 1));
        }
    }

    static class TakesEverything extends Collecting<List<Object>> {
        @RingtableListener("${address}")
        void take(
                String text,
                @Header("country") String country,
                @Header(RingtableHeaders.DELIVERY_COUNT) int deliveries,
                @Headers Map<String, Object> headers,
                Message<byte[]> message,
                ReceivedMessage received) {
            got.add(List.of(
                    text,
                    country,
                    deliveries,
                    headers.get(RingtableHeaders.SUBJECT),
                    new String(message.getPayload(), StandardCharsets.UTF_8),
                    received.messageId().orElseThrow()));
        }
    }

    @Test
    void aMethodGetsHeadersAndMessagesOfBothKinds() throws Exception {
        TakesEverything listener = new TakesEverything();
        try (Listeners application = Listeners.start(SharedBroker.queue(), listener)) {
            application
                    .template()
                    .convertAndSend(
                            address(application),
                            "hello",
                            Map.of(
                                    "country",
                                    "PT",
                                    RingtableHeaders.SUBJECT,
                                    "greeting",
                                    RingtableHeaders.MESSAGE_ID,
                                    "m-1"));
            assertThat(listener.next()).containsExactly("hello", "PT", 1, "greeting", "hello", "m-1");
        }
    }

    static class FailsOnce extends Collecting<Integer> {
        @RingtableListener("${address}")
        void take(String text, @Header(RingtableHeaders.DELIVERY_COUNT) int deliveries) {
            got.add(deliveries);
            if (deliveries == 1) {
                throw new IllegalStateException("no seat");
            }
        }
    }

    @Test
    void aMessageWhoseMethodThrowsComesAgainCounted() throws Exception {
        FailsOnce listener = new FailsOnce();
        try (Listeners application = Listeners.start(SharedBroker.queue(), listener)) {
            application.template().convertAndSend(address(application), "one");
            assertThat(List.of(listener.next(), listener.next())).containsExactly(1, 2);
        }
    }

    static class AlwaysFails {
        @RingtableListener("${address}")
        void take(String text) {
            throw new IllegalStateException("no seat");
        }
    }

    @Test
    void aMessageThatFailsTooOftenIsADeadLetter() {
        String address = SharedBroker.queue();
        try (Listeners application = Listeners.start(address, new AlwaysFails())) {
            application.template().convertAndSend(address, "one");
            DeadLetter letter = deadLetterOf(address);
            assertThat(letter.failures()).isEqualTo(2);
        }
    }

    @Test
    void aMessageThatCannotBeReadIsADeadLetterAtOnceAndHoldsUpNobody() throws Exception {
        TakesOrders listener = new TakesOrders();
        String address = SharedBroker.queue();
        try (Listeners application = Listeners.start(address, listener)) {
            application.template().convertAndSend(address, "no JSON");
            application.template().convertAndSend(address, new Order("book", 1));
            assertThat(listener.next().item()).isEqualTo("book");
            DeadLetter letter = deadLetterOf(address);
            assertThat(letter.reason()).contains("RT-5046").contains("TakesOrders.take");
            assertThat(letter.failures()).isZero();
        }
    }

    @Test
    void theErrorHandlerDecides() {
        String address = SharedBroker.queue();
        try (Listeners application = Listeners.start(
                address,
                new AlwaysFails(),
                factory -> factory.setErrorHandler((message, failure) ->
                        Settlement.reject("decided: " + failure.getCause().getMessage())))) {
            application.template().convertAndSend(address, "one");
            assertThat(deadLetterOf(address).reason()).contains("decided: no seat");
        }
    }

    static class SettlesLater extends Collecting<Acknowledgment> {
        @RingtableListener(addresses = "${address}", ackMode = AckMode.MANUAL, prefetch = "1")
        void take(String text, Acknowledgment acknowledgment) {
            got.add(acknowledgment);
        }
    }

    @Test
    void inModeManualTheApplicationSettlesWhenItLikes() throws Exception {
        SettlesLater listener = new SettlesLater();
        try (Listeners application = Listeners.start(SharedBroker.queue(), listener)) {
            application.template().convertAndSend(address(application), "one");
            application.template().convertAndSend(address(application), "two");
            Acknowledgment first = listener.next();
            assertThat(listener.got)
                    .as("nothing more comes while one is not settled")
                    .isEmpty();
            assertThat(first.acknowledge()).isTrue();
            assertThat(first.acknowledge()).as("the first counts").isFalse();
            assertThat(listener.next().reject("no room")).isTrue();
            assertThat(deadLetterOf(address(application)).reason()).contains("no room");
        }
    }

    static class TakesBatches extends Collecting<List<Order>> {
        @RingtableListener(addresses = "${address}", batch = true, batchSize = "3", autoStartup = "false", id = "batch")
        void take(List<Order> orders) {
            got.add(orders);
        }
    }

    @Test
    void aBatchHasWhatHasArrivedUpToItsSizeWithoutWhatCannotBeRead() throws Exception {
        TakesBatches listener = new TakesBatches();
        String address = SharedBroker.queue();
        try (Listeners application = Listeners.start(address, listener)) {
            for (int n = 0; n < 5; n++) {
                application.template().convertAndSend(address, n == 1 ? "no JSON" : new Order("book", n));
            }
            application.registry().container("batch").start();
            List<Order> all = new ArrayList<>();
            while (all.size() < 4) {
                List<Order> batch = listener.next();
                assertThat(batch).hasSizeBetween(1, 3);
                all.addAll(batch);
            }
            assertThat(all.stream().map(Order::count)).containsExactly(0, 2, 3, 4);
            assertThat(deadLetterOf(address).reason()).contains("RT-5046");
        }
    }

    static class FailsAtOneOfABatch extends Collecting<List<String>> {
        @RingtableListener(addresses = "${address}", batch = true, autoStartup = "false", id = "batch")
        void take(List<String> texts) {
            got.add(texts);
            if (texts.contains("bad")) {
                throw new IllegalStateException("one is bad");
            }
        }
    }

    @Test
    void aBadMessageOfABatchDoesNotTakeTheOthersWithIt() throws Exception {
        FailsAtOneOfABatch listener = new FailsAtOneOfABatch();
        String address = SharedBroker.queue();
        try (Listeners application = Listeners.start(address, listener)) {
            for (String text : List.of("one", "bad", "three")) {
                application.template().convertAndSend(address, text);
            }
            application.registry().container("batch").start();
            assertThat(deadLetterOf(address).failures()).isEqualTo(2);
            await().untilAsserted(() -> assertThat(listener.got.stream()
                            .filter(call -> !call.contains("bad"))
                            .flatMap(List::stream))
                    .containsExactlyInAnyOrder("one", "three"));
            assertThat(listener.got.stream().filter(List.of("bad")::equals))
                    .as("alone, whatever had arrived for its first call")
                    .hasSize(2);
        }
    }

    static class Answers {
        @RingtableListener("${address}")
        @SendTo("${answers}")
        Order answer(Order order) {
            return new Order(order.item(), order.count() + 1);
        }
    }

    @Test
    void whatTheMethodReturnsGoesToTheAddressOfTheMessageOrElseToThatOfTheMethod() {
        String answers = SharedBroker.queue();
        String others = SharedBroker.queue();
        String address = SharedBroker.queue();
        try (Listeners application = Listeners.start(
                SharedBroker.client(), Map.of("address", address, "answers", answers), new Answers(), factory -> {})) {
            application
                    .template()
                    .convertAndSend(address, new Order("book", 1), Map.of(RingtableHeaders.MESSAGE_ID, "m-1"));
            ReceivedMessage answer = received(application, answers);
            assertThat(answer.json(Order.class)).isEqualTo(new Order("book", 2));
            assertThat(answer.correlationId()).contains("m-1");
            application
                    .template()
                    .convertAndSend(
                            address,
                            new Order("pen", 1),
                            Map.of(RingtableHeaders.REPLY_TO, others, RingtableHeaders.CORRELATION_ID, "c-1"));
            answer = received(application, others);
            assertThat(answer.correlationId()).contains("c-1");
        }
    }

    static class AnswersWithAMessage {
        @RingtableListener("${address}")
        Message<Order> answer(Order order) {
            return MessageBuilder.withPayload(order)
                    .setHeader(RingtableHeaders.CORRELATION_ID, "its own")
                    .setHeader("country", "PT")
                    .build();
        }
    }

    @Test
    void aReplyMayHaveHeadersOfItsOwn() {
        String answers = SharedBroker.queue();
        String address = SharedBroker.queue();
        try (Listeners application = Listeners.start(address, new AnswersWithAMessage())) {
            application
                    .template()
                    .convertAndSend(address, new Order("book", 1), Map.of(RingtableHeaders.REPLY_TO, answers));
            ReceivedMessage answer = received(application, answers);
            assertThat(answer.json(Order.class)).isEqualTo(new Order("book", 1));
            assertThat(answer.correlationId()).contains("its own");
            assertThat(answer.properties()).isEqualTo(Map.of("country", "PT"));

            application
                    .template()
                    .convertAndSend(address, new Order("pen", 1), Map.of("why", "no address for a reply"));
            assertThat(deadLetterOf(address).failures()).isEqualTo(2);
        }
    }

    @Test
    void aDefectOutsideOfTheMethodDoesNotEndTheListener() throws Exception {
        ObservationRegistry observations = ObservationRegistry.create();
        Set<String> thrown = ConcurrentHashMap.newKeySet();
        observations.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }

            @Override
            public void onScopeOpened(Observation.Context context) {
                if (thrown.add("once")) {
                    throw new IllegalStateException("a defect of an observation's handler");
                }
            }
        });
        FailsOnce listener = new FailsOnce();
        String address = SharedBroker.queue();
        try (Listeners application = Listeners.start(address, listener, factory -> {
            factory.setObservationRegistry(observations);
            factory.setRecoveryInterval(Duration.ofMillis(10));
        })) {
            application.template().convertAndSend(address, "one");
            assertThat(listener.next()).as("the first delivery failed").isEqualTo(2);
        }
    }

    static class AnswersText {
        @RingtableListener("${address}")
        String answer(String text, @Header("country") String country) {
            return text + " from " + country;
        }
    }

    @Test
    void aJmsClientGetsItsAnswerInItsTemporaryQueue() throws Exception {
        String address = SharedBroker.queue();
        try (Listeners application = Listeners.start(address, new AnswersText());
                JMSContext jms = new JmsConnectionFactory(SharedBroker.uri()).createContext()) {
            assertThat(application.registry().isRunning()).isTrue();
            TemporaryQueue answers = jms.createTemporaryQueue();
            TextMessage question = jms.createTextMessage("greetings");
            question.setStringProperty("country", "PT");
            question.setJMSReplyTo(answers);
            jms.createProducer().send(jms.createQueue(Address.of(address).name()), question);
            try (JMSConsumer consumer = jms.createConsumer(answers)) {
                jakarta.jms.Message answer = consumer.receive(SOON.toMillis());
                assertThat(answer.getBody(String.class)).isEqualTo("greetings from PT");
                assertThat(answer.getJMSCorrelationID()).isEqualTo(question.getJMSMessageID());
            }
        }
    }

    @Test
    void aMessageThatNoJavaValueCanBeMadeOfIsADeadLetter() {
        String address = SharedBroker.queue();
        ArrayList<Object> nested = new ArrayList<>();
        for (int depth = 0; depth < 40; depth++) {
            nested = new ArrayList<>(List.of(nested));
        }
        try (Listeners application = Listeners.start(address, new AnswersText());
                JMSContext jms = new JmsConnectionFactory(SharedBroker.uri()).createContext()) {
            assertThat(application.registry().isRunning()).isTrue();
            jms.createProducer()
                    .setProperty("JMS_AMQP_TYPED_ENCODING", true)
                    .send(jms.createQueue(Address.of(address).name()), nested);
            DeadLetter letter = deadLetterOf(address);
            assertThat(letter.reason()).contains("RT-5046").contains("RT-5030");
            assertThat(letter.failures()).isZero();
        }
    }

    @Test
    void aProxyOfTheBeanIsCalled() throws Exception {
        TakesOrders listener = new TakesOrders();
        List<String> advised = Collections.synchronizedList(new ArrayList<>());
        ProxyFactory proxies = new ProxyFactory(listener);
        proxies.setProxyTargetClass(true);
        proxies.addAdvice((MethodInterceptor) call -> {
            advised.add(call.getMethod().getName());
            return call.proceed();
        });
        String address = SharedBroker.queue();
        try (Listeners application = Listeners.start(address, proxies.getProxy())) {
            application.template().convertAndSend(address, new Order("book", 2));
            assertThat(listener.next()).isEqualTo(new Order("book", 2));
            assertThat(advised).contains("take");
        }
    }

    static class TakesValidOrders extends Collecting<Order> {
        @RingtableListener("${address}")
        void take(@Validated Order order) {
            got.add(order);
        }
    }

    @Test
    void aPayloadThatIsNotValidIsADeadLetter() throws Exception {
        Validator positive = Validator.forInstanceOf(Order.class, (order, errors) -> {
            if (order.count() < 1) {
                errors.reject("count", "count is below 1");
            }
        });
        TakesValidOrders listener = new TakesValidOrders();
        String address = SharedBroker.queue();
        try (Listeners application = Listeners.start(address, listener, factory -> factory.setValidator(positive))) {
            application.template().convertAndSend(address, new Order("book", 0));
            application.template().convertAndSend(address, new Order("pen", 1));
            assertThat(listener.next().item()).isEqualTo("pen");
            DeadLetter letter = deadLetterOf(address);
            assertThat(letter.reason()).contains("RT-5046").contains("count is below 1");
            assertThat(letter.failures()).isZero();
        }
    }

    static class ReadsDeadLetters extends Collecting<DeadLetter> {
        @RingtableListener("${address}")
        void take(@Header(RingtableHeaders.DEAD_LETTER) DeadLetter why) {
            if (why.reason().contains("for the reader of dead letters")) {
                got.add(why);
            }
        }
    }

    @Test
    void aListenerOfTheDeadLettersSeesWhy() throws Exception {
        String address = SharedBroker.queue();
        ReadsDeadLetters reader = new ReadsDeadLetters();
        try (Listeners dead = Listeners.start("queue://DLQ", reader)) {
            dead.template().convertAndSend(address, "one");
            dead.template().receive(address, SOON, message -> message.reject("for the reader of dead letters"));
            assertThat(reader.next().address()).isEqualTo(Address.of(address).name());
        }
    }

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

    @Test
    void sendingAndProcessingAreObservedUnderTheNamesOfTheConventions() throws Exception {
        List<String> observed = Collections.synchronizedList(new ArrayList<>());
        ObservationRegistry observations = ObservationRegistry.create();
        observations.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }

            @Override
            public void onStart(Observation.Context context) {
                if (context instanceof SendContext sending) {
                    sending.getSetter().set(sending.getCarrier(), "traceparent", "00-1-2-01");
                }
            }

            @Override
            public void onStop(Observation.Context context) {
                String trace = context instanceof ProcessContext processing
                        ? processing.getGetter().get(processing.getCarrier(), "traceparent")
                        : "sent";
                observed.add(context.getContextualName() + " " + context.getName() + " " + trace + " "
                        + context.getLowCardinalityKeyValue("messaging.operation.name")
                                .getValue() + " "
                        + context.getLowCardinalityKeyValue("error.type").getValue());
            }
        });
        String address = SharedBroker.queue();
        String name = Address.of(address).name();
        FailsOnce listener = new FailsOnce();
        try (Listeners application =
                Listeners.start(address, listener, factory -> factory.setObservationRegistry(observations))) {
            RingtableTemplate template = application.template();
            template.setObservationRegistry(observations);
            template.convertAndSend(address, "one");
            listener.next();
            listener.next();
            await().until(() -> observed.size() == 3);
            assertThat(observed)
                    .containsExactlyInAnyOrder(
                            "send " + name + " messaging.client.operation.duration sent send none",
                            "process " + name + " messaging.process.duration 00-1-2-01 process"
                                    + " java.lang.IllegalStateException",
                            "process " + name + " messaging.process.duration 00-1-2-01 process none");
        }
    }

    private static String address(Listeners application) {
        return application
                .registry()
                .containers()
                .iterator()
                .next()
                .endpoint()
                .subscriptions()
                .get(0)
                .address()
                .toString();
    }

    private static ReceivedMessage received(Listeners application, String address) {
        return application.template().receive(address, SOON, message -> message).orElseThrow();
    }
}

package io.ringtable.spring;

import static io.ringtable.spring.SharedBroker.SOON;
import static io.ringtable.spring.SharedBroker.deadLetterOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.client.Address;
import io.ringtable.client.ReceivedMessage;
import io.ringtable.client.ReceivedMessage.DeadLetter;
import io.ringtable.spring.annotation.RingtableListener;
import io.ringtable.spring.support.RingtableHeaders;
import jakarta.jms.JMSContext;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.aopalliance.intercept.MethodInterceptor;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.Validated;

/** Tests what methods with {@code @RingtableListener} get, and what becomes of messages that cannot be read. */
@Timeout(120)
@ExtendWith(SharedBroker.class)
class ListenerPayloadTest {

    @Test
    void aMethodGetsItsPayloadConverted() throws Exception {
        TakesOrders listener = new TakesOrders();
        try (Listeners application = Listeners.start(SharedBroker.queue(), listener)) {
            application.template().convertAndSend(application.address(), new Order("book", 2));
            assertThat(listener.next()).isEqualTo(new Order("book", 2));
            application.template().convertAndSend(application.address(), "{\"item\":\"pen\",\"count\":1}");
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
                            application.address(),
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

    static class TakesText extends Collecting<String> {
        @RingtableListener("${address}")
        void take(String text) {
            got.add(text);
        }
    }

    @Test
    void aMessageThatNoJavaValueCanBeMadeOfIsADeadLetter() {
        String address = SharedBroker.queue();
        ArrayList<Object> nested = new ArrayList<>();
        for (int depth = 0; depth < 40; depth++) {
            nested = new ArrayList<>(List.of(nested));
        }
        try (Listeners application = Listeners.start(address, new TakesText());
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
}

package io.ringtable.spring;

import static io.ringtable.spring.SharedBroker.SOON;
import static io.ringtable.spring.SharedBroker.deadLetterOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.client.Address;
import io.ringtable.client.ReceivedMessage;
import io.ringtable.spring.annotation.RingtableListener;
import io.ringtable.spring.support.RingtableHeaders;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.TextMessage;
import java.util.Map;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.SendTo;
import org.springframework.messaging.support.MessageBuilder;

/** Tests where the answers of methods with {@code @RingtableListener} go. */
@Timeout(120)
@ExtendWith(SharedBroker.class)
class ListenerReplyTest {

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
            ReceivedMessage answer = application.received(answers);
            assertThat(answer.json(Order.class)).isEqualTo(new Order("book", 2));
            assertThat(answer.correlationId()).contains("m-1");
            application
                    .template()
                    .convertAndSend(
                            address,
                            new Order("pen", 1),
                            Map.of(RingtableHeaders.REPLY_TO, others, RingtableHeaders.CORRELATION_ID, "c-1"));
            answer = application.received(others);
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
            ReceivedMessage answer = application.received(answers);
            assertThat(answer.json(Order.class)).isEqualTo(new Order("book", 1));
            assertThat(answer.correlationId()).contains("its own");
            assertThat(answer.properties()).isEqualTo(Map.of("country", "PT"));

            application
                    .template()
                    .convertAndSend(address, new Order("pen", 1), Map.of("why", "no address for a reply"));
            assertThat(deadLetterOf(address).failures()).isEqualTo(2);
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
}

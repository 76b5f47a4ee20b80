package io.ringtable.acceptance.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.BrokerSettings;
import io.ringtable.acceptance.harness.Engine;
import io.ringtable.client.ClientBuilder;
import io.ringtable.client.Message;
import io.ringtable.client.Publisher;
import io.ringtable.client.PublisherOptions;
import io.ringtable.client.ReceivedMessage;
import io.ringtable.client.Receiver;
import io.ringtable.client.RingtableClient;
import io.ringtable.client.RingtableException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Two applications on the SDK choose one producer id. The second one would publish under the numbers of the first one,
 * whose messages would then be accepted and stored nowhere.
 */
class ProducerOwnerTest {
    private static final String QUEUE = "queue://imports";
    private static final String END = "the end";
    private static final Duration LONG = Duration.ofMinutes(1);

    @RegisterExtension
    final Bench bench = new Bench();

    private final HttpClient http = HttpClient.newHttpClient();

    @Test
    void anotherUserCannotPublishUnderTheNumbersOfAProducer() throws Exception {
        UnaryOperator<BrokerSettings> store = Engine.any().on(bench);
        BrokerProcess broker =
                bench.broker(settings -> withUsers(store.apply(settings))).start();
        publish(broker, "ann", "1 of ann", "2 of ann");
        isRefused(broker, "bob");
        broker.kill();
        broker.start();
        isRefused(broker, "bob");
        publish(broker, "ann", "3 of ann");
        assertThat(received(broker)).containsExactly("1 of ann", "2 of ann", "3 of ann");

        assertThat(ask(broker, "GET", "/producers")).contains("\"owner\":\"ann\"", "\"lastNumber\":3");
        ask(broker, "DELETE", "/producers/imports/nightly");
        publish(broker, "bob", "1 of bob");
        isRefused(broker, "ann");
        assertThat(received(broker)).containsExactly("1 of bob");
    }

    @Test
    void aProducerOfATimeWithoutUsersGoesToTheNextUserWhoOpensIt() {
        BrokerProcess open = bench.broker().start();
        publish(open, "", "1 of nobody");
        open.stop();
        BrokerProcess broker = bench.broker(settings -> withUsers(settings)
                        .with("ringtable.data-dir", open.settings().dataDir()))
                .start();
        publish(broker, "ann", "2 of ann");
        isRefused(broker, "bob");
        assertThat(received(broker)).containsExactly("1 of nobody", "2 of ann");
        assertThat(broker.log().lines().filter(line -> line.contains(" audit: ")))
                .singleElement()
                .asString()
                .contains("of user 'ann' opened producer 'nightly' of queue 'imports', which was nobody's");
    }

    private static BrokerSettings withUsers(BrokerSettings settings) {
        BrokerSettings complete = settings.with("ringtable.security.roles.administrator.users", "ann");
        for (String user : List.of("ann", "bob")) {
            String property = "ringtable.security.users[" + (user.equals("ann") ? 0 : 1) + "].";
            complete = complete.with(property + "name", user).with(property + "password", "{noop}" + user);
        }
        return complete;
    }

    private static void publish(BrokerProcess broker, String user, String... texts) {
        try (RingtableClient client = connect(broker, user);
                Publisher publisher = client.publisher(nightly())) {
            for (String text : texts) {
                publisher.publishAndWait(Message.text(text));
            }
        }
    }

    private static void isRefused(BrokerProcess broker, String user) {
        assertThatThrownBy(() -> publish(broker, user, "of " + user))
                .isInstanceOfSatisfying(
                        RingtableException.class,
                        refused -> assertThat(refused.condition()).contains("amqp:unauthorized-access"))
                .hasMessageContaining("RT-4354 user '" + user + "' may not open producer 'nightly' of queue 'imports'");
    }

    private static PublisherOptions nightly() {
        return PublisherOptions.queue("imports").producerId("nightly");
    }

    /** Returns everything in the queue: what comes before a message that is sent now. */
    private static List<String> received(BrokerProcess broker) {
        List<String> texts = new ArrayList<>();
        try (RingtableClient client = connect(broker, "ann");
                Publisher publisher = client.publisher(QUEUE);
                Receiver receiver = client.receiver(QUEUE)) {
            publisher.publishAndWait(Message.text(END));
            for (String text = next(receiver); !text.equals(END); text = next(receiver)) {
                texts.add(text);
            }
        }
        return texts;
    }

    private static String next(Receiver receiver) {
        ReceivedMessage message = receiver.receive(LONG).orElseThrow();
        message.acknowledge();
        return message.text();
    }

    private static RingtableClient connect(BrokerProcess broker, String user) {
        ClientBuilder builder = RingtableClient.builder().uri(broker.amqpUrl());
        return (user.isEmpty() ? builder : builder.user(user, () -> user)).connect();
    }

    private String ask(BrokerProcess broker, String method, String path) throws IOException, InterruptedException {
        String login = Base64.getEncoder().encodeToString("ann:ann".getBytes(StandardCharsets.UTF_8));
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + broker.httpPort() + "/api/v1" + path))
                .header("Authorization", "Basic " + login)
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
        return http.send(request, BodyHandlers.ofString()).body();
    }
}

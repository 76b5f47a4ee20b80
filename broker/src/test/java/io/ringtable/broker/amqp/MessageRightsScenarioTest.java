package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.access.Identity;
import io.ringtable.broker.inspect.MessageDraft;
import io.ringtable.broker.inspect.MessageQuery;
import io.ringtable.broker.management.Caller;
import io.ringtable.broker.management.ManagementAnswer;
import io.ringtable.broker.management.ManagementJson;
import io.ringtable.broker.management.ManagementRequest;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.PublisherLogin;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.node.StringNode;

/**
 * Tests who may do what with single messages. Of the users ann may browse what begins with orders, vera is a viewer,
 * olga an operator, and nora has no right at all.
 */
@Timeout(120)
class MessageRightsScenarioTest {
    @TempDir
    static Path directory;

    private static TestBroker broker;
    private static long order;
    private static long payment;
    private static long readerOfOrders;

    @BeforeAll
    static void start() throws Exception {
        TestSettings settings = TestSettings.of(
                "ringtable.security.rules[0].match", "orders.#",
                "ringtable.security.rules[0].users[0]", "ann",
                "ringtable.security.rules[0].permissions[0]", "browse",
                "ringtable.security.roles.viewer.users[0]", "vera",
                "ringtable.security.roles.operator.users[0]", "olga");
        int position = 0;
        for (String user : new String[] {"ann", "vera", "olga", "nora"}) {
            String property = "ringtable.security.users[" + position++ + "].";
            settings = settings.with(property + "name", user, property + "password", "{noop}secret");
        }
        broker = TestBroker.start(directory, settings);
        order = publish("orders.eu");
        payment = publish("payments");
        readerOfOrders = broker.shard()
                .lookup()
                .readerOf(broker.shard().lookup().find("orders.eu"))
                .id();
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    /** @return the sequence of the message */
    private static long publish(String queue) throws Exception {
        Address address = answer(broker.shard().catalog().ensure(queue, AddressKind.QUEUE));
        answer(broker.inspector()
                .send(
                        queue,
                        new MessageDraft(null, null, null, new StringNode("secret"), null),
                        PublisherLogin.NOBODY));
        return answer(broker.inspector()
                        .browse(new MessageQuery(
                                broker.shard().lookup().readerOf(address), null, null, 0, Long.MAX_VALUE, 1, -1)))
                .items()
                .get(0)
                .sequence();
    }

    private static <T> T answer(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    @ParameterizedTest(name = "{0} {1} {2}: {3}")
    @CsvSource({
        "ann,  GET,    /messages/ORDER,              200",
        "ann,  GET,    /messages/ORDER/explain,      200",
        "ann,  GET,    /addresses/orders.eu/messages,200",
        "ann,  GET,    /messages/PAYMENT,            403",
        "ann,  GET,    /messages/PAYMENT/explain,    403",
        "ann,  GET,    /addresses/payments/messages, 403",
        "ann,  POST,   /addresses/orders.eu/messages,403",
        "ann,  POST,   /messages/ORDER/copy,         403",
        "ann,  DELETE, /messages/ORDER,              403",
        "ann,  GET,    /subscriptions/READER/why,    403",
        "vera, GET,    /messages/ORDER,              403",
        "vera, GET,    /addresses/orders.eu/messages,403",
        "vera, GET,    /messages/ORDER/explain,      200",
        "vera, GET,    /subscriptions/READER/why,    200",
        "vera, POST,   /messages/ORDER/copy,         403",
        "vera, DELETE, /messages/ORDER,              403",
        "nora, GET,    /messages/ORDER/explain,      403",
        "nora, GET,    /subscriptions/READER/why,    403",
        "nora, DELETE, /messages/PAYMENT,            403",
        "olga, GET,    /messages/PAYMENT,            200",
        "olga, POST,   /addresses/orders.eu/messages,200",
        "olga, POST,   /messages/ORDER/copy,         200",
        "olga, DELETE, /messages/PAYMENT,            200",
    })
    void eachMayDoWhatRolesAndRulesSay(String user, String method, String path, int status) throws Exception {
        String body = switch (method) {
            case "POST" -> path.endsWith("copy") ? "{\"to\": \"orders.eu\"}" : "{\"body\": \"more\"}";
            default -> null;
        };
        ManagementAnswer answer = answer(broker.management()
                .handle(new ManagementRequest(
                        method,
                        path.replace("ORDER", String.valueOf(order))
                                .replace("PAYMENT", String.valueOf(payment))
                                .replace("READER", String.valueOf(readerOfOrders)),
                        Map.of(),
                        body == null ? null : ManagementJson.MAPPER.readTree(body),
                        new Caller(Identity.of(user), "http", "test"))));
        assertThat(answer.status()).as("%s", answer.body()).isEqualTo(status);
        if (status != 200) {
            assertThat(String.valueOf(answer.body())).doesNotContain("secret");
        }
    }
}

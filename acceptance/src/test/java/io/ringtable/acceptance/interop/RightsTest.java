package io.ringtable.acceptance.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.BrokerSettings;
import io.ringtable.acceptance.harness.Engine;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Users try what they may and what they may not, with python-qpid-proton, rhea and over HTTP; by AMQP they also ask the
 * management node. Each try that is not among the allowed ones must be refused, with user, permission and address.
 */
class RightsTest {
    private static final List<String> USERS = List.of("ann", "bob", "tom", "eve", "ops");
    private static final List<String> ADDRESSES = List.of("orders.eu", "orders.us", "parcels");

    /** Lists rules: match, user, permissions. */
    private static final List<List<String>> RULES = List.of(
            List.of("orders.#", "ann", "send,create"),
            List.of("orders.eu", "bob", "receive,browse"),
            List.of("orders.us", "bob", "browse"),
            List.of("parcels", "tom", "send,receive,create,delete"),
            List.of("#", "ops", "manage,browse"));

    /** Lists what each way needs. */
    private static final Map<String, String> PERMISSIONS = Map.of(
            "send", "send",
            "anonymous", "send",
            "transact", "send",
            "receive", "receive",
            "browse", "browse",
            "manage", "manage");

    /** Lists what is allowed by permission: user and address. */
    private static final Map<String, List<String>> ALLOWED = Map.of(
            "send", List.of("ann orders.eu", "ann orders.us", "tom parcels"),
            "receive", List.of("bob orders.eu", "tom parcels"),
            "browse", List.of("bob orders.eu", "bob orders.us", "ops orders.eu", "ops orders.us", "ops parcels"),
            "manage",
                    List.of(
                            "ops orders.eu",
                            "ops orders.us",
                            "ops parcels",
                            "eve orders.eu", // a viewer sees every address
                            "eve orders.us",
                            "eve parcels"));

    @RegisterExtension
    static final Bench BENCH = new Bench();

    private static BrokerProcess broker;

    @BeforeAll
    static void startBroker() {
        UnaryOperator<BrokerSettings> store = Engine.any().on(BENCH);
        broker = BENCH.broker(settings -> withUsersAndRules(store.apply(settings)))
                .start();
        for (String address : ADDRESSES) {
            assertThat(http("root", "PUT", "/addresses/" + address, "{\"kind\":\"QUEUE\"}")
                            .statusCode())
                    .isEqualTo(201);
        }
    }

    private static BrokerSettings withUsersAndRules(BrokerSettings settings) {
        BrokerSettings complete = settings.with("ringtable.security.roles.administrator.users", "root")
                .with("ringtable.security.roles.viewer.users", "eve");
        List<String> users = new ArrayList<>(USERS);
        users.add("root");
        for (int i = 0; i < users.size(); i++) {
            String property = "ringtable.security.users[" + i + "].";
            complete =
                    complete.with(property + "name", users.get(i)).with(property + "password", "{noop}" + users.get(i));
        }
        for (int i = 0; i < RULES.size(); i++) {
            String property = "ringtable.security.rules[" + i + "].";
            complete = complete.with(property + "match", RULES.get(i).get(0))
                    .with(property + "users", RULES.get(i).get(1))
                    .with(property + "permissions", RULES.get(i).get(2));
        }
        return complete;
    }

    @Test
    void pythonMayWhatRulesGive() throws IOException {
        hold(
                ProcessClient.python(broker.amqpUrl()),
                List.of("send", "anonymous", "transact", "receive", "browse", "manage"));
    }

    @Test
    void nodeMayWhatRulesGive() throws IOException {
        hold(ProcessClient.node(broker.amqpUrl()), List.of("send", "anonymous", "receive", "browse", "manage"));
    }

    private static void hold(ProcessClient client, List<String> ways) throws IOException {
        List<String> tries = new ArrayList<>();
        for (String user : USERS) {
            for (String way : ways) {
                ADDRESSES.forEach(address -> tries.add(user + " " + way + " " + address));
            }
        }

        List<String> results = client.tryEach(tries);

        assertThat(results).hasSameSizeAs(tries);
        for (int i = 0; i < tries.size(); i++) {
            String[] words = tries.get(i).split(" ");
            String permission = PERMISSIONS.get(words[1]);
            if (ALLOWED.get(permission).contains(words[0] + " " + words[2])) {
                assertThat(results.get(i)).isEqualTo(tries.get(i) + " allowed");
            } else if (permission.equals("manage")) {
                assertThat(results.get(i)).contains("403", "RT-7706", "'" + words[0] + "'", "'" + words[2] + "'");
            } else {
                String condition =
                        words[1].equals("transact") ? "amqp:transaction:rollback" : "amqp:unauthorized-access";
                assertThat(results.get(i))
                        .contains(condition, "RT-4350", "'" + words[0] + "'", "'" + words[2] + "'")
                        .contains("permission '" + permission + "'");
            }
        }
    }

    @Test
    void httpAllowsWhatRolesAndRulesGive() {
        for (String user : USERS) {
            boolean isViewer = user.equals("eve");
            expect(user, "GET", "/status", isViewer);
            expect(user, "GET", "/addresses", isViewer);
            expect(user, "GET", "/subscriptions", isViewer);
            for (String address : ADDRESSES) {
                expect(user, "GET", "/addresses/" + address, isViewer || user.equals("ops"));
                boolean mayCreate = user.equals("ann") && address.startsWith("orders")
                        || user.equals("tom") && address.equals("parcels");
                expect(user, "PUT", "/addresses/" + address, mayCreate);
            }
            expect(user, "DELETE", "/addresses/orders.eu", false);
        }
    }

    private static void expect(String user, String method, String path, boolean allowed) {
        String body = method.equals("PUT") ? "{\"kind\":\"QUEUE\"}" : null;
        HttpResponse<String> response = http(user, method, path, body);
        assertThat(response.statusCode())
                .as("%s %s by %s: %s", method, path, user, response.body())
                .isEqualTo(allowed ? 200 : 403);
        if (!allowed) {
            assertThat(response.body()).contains("RT-7706", "'" + user + "'");
        }
    }

    private static HttpResponse<String> http(String user, String method, String path, String body) {
        String login = Base64.getEncoder().encodeToString((user + ":" + user).getBytes(StandardCharsets.UTF_8));
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + broker.httpPort() + "/api/v1" + path))
                .header("Authorization", "Basic " + login)
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        try {
            return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}

package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.access.Identity;
import io.ringtable.broker.management.Caller;
import io.ringtable.broker.management.ManagementAnswer;
import io.ringtable.broker.management.ManagementRequest;
import io.ringtable.broker.management.Problem;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** A node that owns a shard cannot be reached by the node that an administrator asks (ADR 73). */
@Timeout(300)
class SilentNodeManagementTest {
    private static final int REQUESTS_MAX = 32; // of one user

    @Test
    void theNodeThatDoesNotAnswerIsNamed() throws Exception {
        try (ServerSocket silent = new ServerSocket(0); // takes connections, and never speaks
                TwoNodes nodes = new TwoNodes(TwoNodes.settings()
                        .with(
                                "ringtable.queues",
                                "q.one",
                                "ringtable.amqp.handshake-timeout",
                                "2s",
                                "ringtable.amqp.advertised-url",
                                url(silent))
                        .authenticator(RelayScenario.USERS))) {
            String nowhere = url(silent);
            nodes.awaitKnown("q.one");
            await().until(() -> nodes.front.shard().lookup().find("DLQ") != null);
            Administrator admin = Administrator.of(nodes.front, "ann");

            List<CompletionStage<ManagementAnswer>> asked = new ArrayList<>();
            for (int i = 0; i <= REQUESTS_MAX; i++) {
                asked.add(nodes.front
                        .management()
                        .handle(new ManagementRequest(
                                "DELETE",
                                "/addresses/q.one",
                                Map.of(),
                                null,
                                new Caller(Identity.of("bob"), "http", "192.0.2.7"))));
            }
            assertThat(asked.stream().map(SilentNodeManagementTest::codeOf))
                    .containsOnly("RT-4617", "RT-4623")
                    .containsOnlyOnce("RT-4623");

            assertThat(admin.refused(503, "RT-4617", "DELETE", "/addresses/q.one", null))
                    .startsWith("nothing was done: node ")
                    .contains(nowhere);
            assertThat(admin.refused(503, "RT-4617", "PUT", "/policies/p", "{'messagesMax': 1}"))
                    .contains(nowhere);

            JsonNode shown = admin.get("/addresses/q.one");
            assertThat(shown.path("away").toString()).isEqualTo("[0]");
            JsonNode addresses = admin.get("/addresses");
            assertThat(addresses.path("silent").toString()).contains("RT-4617").contains(nowhere);
            assertThat(addresses.path("items").toString()).contains("\"q.one\"").contains("\"DLQ\"");
            JsonNode shard = admin.get("/shards").path("items").path(0);
            assertThat(shard.path("state").asString()).isEqualTo("ACTIVE");
            assertThat(shard.path("reason").asString())
                    .startsWith("served by node '")
                    .endsWith(nowhere);
            assertThat(shard.has("epoch")).isFalse();
            JsonNode letters = admin.get("/deadletters");
            assertThat(letters.path("complete").asBoolean()).isFalse();
            assertThat(letters.path("silent").size()).isEqualTo(1);
            assertThat(admin.refused(503, "RT-4617", "POST", "/addresses/DLQ/purge", null))
                    .contains(nowhere);
            admin.get("/jobs")
                    .path("items")
                    .forEach(job -> await().until(
                                    () -> admin.get("/jobs/" + job.path("id").asString())
                                            .path("state")
                                            .asString(),
                                    state -> !state.equals("RUNNING")));
        }
    }

    private static String url(ServerSocket socket) {
        return "amqp://127.0.0.1:" + socket.getLocalPort();
    }

    private static String codeOf(CompletionStage<ManagementAnswer> answer) {
        return ((Problem) answer.toCompletableFuture().join().body()).code();
    }
}

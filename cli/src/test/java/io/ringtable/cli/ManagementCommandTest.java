package io.ringtable.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.cli.failure.ExitCode;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests what all commands of administration share: pages, forms of output, logins, exit codes, bodies. */
class ManagementCommandTest {
    @TempDir
    Path directory;

    private ScriptedBroker broker;

    @BeforeEach
    void start() throws Exception {
        broker = new ScriptedBroker();
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    private Run run(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("--http");
        all.add(broker.url() + "/"); // people write it so
        return Run.of(all.toArray(String[]::new));
    }

    private List<String> asked() {
        return broker.asked().stream().map(ScriptedBroker.Asked::what).toList();
    }

    // ---- lists

    @Test
    void aListGoesThroughItsPagesUntilTheLimit() {
        broker.on(
                        "GET /api/v1/addresses?limit=3",
                        200,
                        "{\"items\":[{\"name\":\"a\"},{\"name\":\"b\"}],\"next\":\"b&\"}")
                .on(
                        "GET /api/v1/addresses?limit=3&after=b%26",
                        200, "{\"items\":[{\"name\":\"c\"},{\"name\":\"d\"}],\"next\":null}");

        Run run = run("address", "list", "--limit", "3");

        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(run.lines()).containsExactly("name", "a", "b", "c");
        assertThat(run.err()).contains("more than 3", "--limit");
    }

    @Test
    void theBrokerFiltersEachList() {
        broker.on("GET /api/v1/users?filter=ANN&limit=1000", 200, "{\"items\":[{\"name\":\"hanna\"}]}")
                .on("GET /api/v1/jobs?filter=DLQ&state=failed&limit=1000", 200, "{\"items\":[{\"id\":7}]}")
                .on("GET /api/v1/transactions?connection=c1&limit=1000", 200, "{\"items\":[{\"id\":\"c1.t1\"}]}");

        assertThat(run("user", "list", "--filter", "ANN").lines()).containsExactly("name", "hanna");
        assertThat(run("job", "list", "--filter", "DLQ", "--state", "failed").lines())
                .containsExactly("id", " 7");
        assertThat(run("transaction", "list", "--connection", "c1").lines()).containsExactly("id", "c1.t1");
    }

    @Test
    void aListThatLacksSomethingSaysSo() {
        broker.on(
                "GET /api/v1/links?address=q&limit=1000",
                200,
                "{\"items\":[{\"id\":\"c1.1\",\"waitsFor\":\"CREDIT\"}],\"silent\":[\"amqp-io-1\"]}");

        Run run = run("link", "list", "--address", "queue://q");

        assertThat(run.lines()).containsExactly("id    waits for", "c1.1  CREDIT");
        assertThat(run.err()).contains("amqp-io-1");
    }

    @Test
    void anEmptyPageInTheMiddleIsNotTheEnd() {
        broker.on("GET /api/v1/addresses/q/messages?limit=1000", 200, "{\"items\":[],\"next\":\"500\"}")
                .on("GET /api/v1/addresses/q/messages?limit=1000&after=500", 200, "{\"items\":[{\"sequence\":1234}]}");

        Run run = run("message", "list", "queue://q");

        assertThat(run.lines()).containsExactly("sequence", "    1234");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void jsonIsALineForEachItemAsTheBrokerHasIt() {
        broker.on(
                "GET /api/v1/addresses?filter=ord%20%2F&limit=1000",
                200, "{\"items\": [{\"name\": \"a\", \"later\": {\"x\": 1}}, {\"name\": \"b\"}]}");

        Run run = run("address", "list", "--filter", "ord /", "--output", "json");

        assertThat(run.lines()).containsExactly("{\"name\":\"a\",\"later\":{\"x\":1}}", "{\"name\":\"b\"}");
    }

    @Test
    void anEmptyListIsNoFailure() {
        broker.on("GET /api/v1/connections?limit=1000", 200, "{\"items\":[]}");

        assertThat(run("connection", "list").out().strip()).isEqualTo("(none)");
        assertThat(run("connection", "list", "--output", "json").out()).isEmpty();
    }

    @Test
    void namesStandInThePathWhateverTheirCharacters() {
        broker.on("GET /api/v1/addresses/a%2Fb%20%3F%2B%C3%BC", 200, "{\"name\":\"a/b ?+ü\",\"kind\":\"QUEUE\"}");

        Run run = run("address", "show", "a/b ?+ü");

        assertThat(run.lines()).containsExactly("name  a/b ?+ü", "kind  QUEUE");
    }

    @Test
    void anAddressOfAnotherKindIsNotTouched() {
        broker.on("GET /api/v1/addresses/prices", 200, "{\"name\":\"prices\",\"kind\":\"TOPIC\"}");

        Run run = run("address", "delete", "queue://prices");

        assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err()).startsWith("RT-6046 ").contains("'prices' is a TOPIC");
        assertThat(asked()).containsExactly("GET /api/v1/addresses/prices");
    }

    @Test
    void statusNamesTheShardThatIsNotServedAndWhatFillsARing() {
        broker.on("GET /status", 200, """
                {"state": "STANDBY", "shards": [
                  {"shard": 0, "epoch": 7, "gate": 0, "next": 9, "room": 1, "capacity": 10, "state": "ACTIVE",
                   "messagesPerSecond": {"in": 2, "out": 1}, "heldBy": [
                     {"address": "news", "clientId": "c", "name": "s", "owedInRing": 9, "owedInBacklog": 0},
                     {"address": "old", "clientId": "", "name": "", "owedInRing": 0, "owedInBacklog": 5}]},
                  {"shard": 1, "epoch": 8, "gate": 0, "next": 0, "room": 10, "capacity": 10, "state": "STANDBY",
                   "heldBy": []}]}
                """);

        List<String> lines = run("status").lines();

        assertThat(lines)
                .containsSubsequence(
                        "shard 0    epoch 7, gate 0, next 9, room for 1 of 10 messages, 0 in the backlog,"
                                + " 2 in/s, 1 out/s",
                        "           owed in its ring: news c:s 9",
                        "shard 1    epoch 8, gate 0, next 0, room for 10 of 10 messages, 0 in the backlog,"
                                + " 0 in/s, 0 out/s, STANDBY");
    }

    // ---- logins and refusals

    @Test
    void aRefusalHasTheCodeAndTheTextOfTheBroker() {
        String problem = "{\"code\":\"RT-7006\",\"message\":\"user 'eve' may not\"}";
        broker.on("DELETE /api/v1/addresses/a", 403, problem)
                .on("DELETE /api/v1/addresses/b", 503, "{\"code\":\"RT-7009\",\"message\":\"a stand-by\"}")
                .on("DELETE /api/v1/addresses/c", 401, "{\"code\":\"RT-7501\",\"message\":\"this needs a login\"}")
                .on("DELETE /api/v1/addresses/d", 429, "{\"code\":\"RT-7503\",\"message\":\"too often\"}");

        Run forbidden = run("address", "delete", "a");
        Run away = run("address", "delete", "b");
        Run unknown = run("address", "delete", "c");
        Run tooOften = run("address", "delete", "d");
        Run noBroker = run("address", "delete", "e");

        assertThat(forbidden.err().strip()).isEqualTo("RT-7006 user 'eve' may not");
        assertThat(forbidden.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(away.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(unknown.exitCode()).isEqualTo(ExitCode.LOGIN_REFUSED);
        assertThat(unknown.err()).startsWith("RT-7501 this needs a login").contains("--user");
        assertThat(tooOften.exitCode()).isEqualTo(ExitCode.LOGIN_REFUSED);
        assertThat(noBroker.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(noBroker.err()).startsWith("RT-6013 ").contains("answered 404");
    }

    @Test
    void noAnswerDrivesTheTerminal() {
        broker.on(
                        "GET /api/v1/subscriptions/3/why",
                        200,
                        "{\"reason\":\"NO_CONSUMER\",\"text\":\"'\\u001b[2J' has none\",\"cure\":\"start one\"}")
                .on("DELETE /api/v1/links/c1.1", 404, "{\"code\":\"RT-4375\",\"message\":\"no \\u001b[2J\\nhere\"}");

        assertThat(run("subscription", "why", "3").lines()).containsExactly("NO_CONSUMER: '?[2J' has none; start one");
        assertThat(run("link", "close", "c1.1").err().strip()).isEqualTo("RT-4375 no ?[2J; here");
    }

    @Test
    void aTokenIsReadFromItsFileAndSentWithEveryQuestion() throws Exception {
        Path token = Files.writeString(directory.resolve("token"), "abc.def-_=\n");
        broker.on("GET /api/v1/whoami", 200, "{\"user\":\"me\"}").on("GET /status", 200, "{\"state\":\"ACTIVE\"}");

        run("user", "whoami", "--token-file", token.toString());
        run("status", "--token-file", token.toString());

        assertThat(broker.asked())
                .extracting(ScriptedBroker.Asked::authorization)
                .containsExactly("Bearer abc.def-_=", "Bearer abc.def-_=");
    }

    @Test
    void aFileWithoutATokenIsRefusedAndNotShown() throws Exception {
        Path two = Files.writeString(directory.resolve("two"), "secret one\nsecret two\n");

        Run odd = run("user", "whoami", "--token-file", two.toString());
        Run absent = run(
                "user", "whoami", "--token-file", directory.resolve("absent").toString());

        assertThat(odd.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(odd.err()).startsWith("RT-6044 ").doesNotContain("secret");
        assertThat(absent.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(absent.err()).startsWith("RT-6043 ");
        assertThat(broker.asked()).isEmpty();
    }

    /** The address belongs to a range for documentation: nobody answers there, and nobody is asked. */
    @Test
    void aSecretGoesToAnotherMachineOnlyWithTls() throws Exception {
        Path token = Files.writeString(directory.resolve("token"), "abc");

        Run list = Run.of("address", "list", "--token-file", token.toString(), "--http", "http://192.0.2.1:8161");
        Run status = Run.of("status", "--token-file", token.toString(), "--http", "http://192.0.2.1:8161");

        Run user = Run.of("user", "add", "anna", "--stdin", "--http", "http://192.0.2.1:8161");

        for (Run run : List.of(list, status, user)) {
            assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
            assertThat(run.err()).startsWith("RT-6040 ").contains("https://", "--allow-plain-remote");
        }
    }

    @Test
    void certificatesToTrustMustBeThere() throws Exception {
        Path empty = Files.writeString(directory.resolve("empty.pem"), "");

        Run run = run("address", "list", "--trust", empty.toString());

        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(run.err()).startsWith("RT-6041 ");
    }

    // ---- bodies

    @Test
    void aCopyChangesWhatTheOptionsSay() {
        broker.on("POST /api/v1/messages/12/copy", 200, "{\"accepted\":true}");

        Run run = run(
                "message",
                "copy",
                "12",
                "--to",
                "queue://fixed",
                "--header",
                "subject=s",
                "--header",
                "priority=9",
                "--property",
                "country=PT",
                "--property",
                "seats:=180",
                "--property",
                "late=",
                "--body",
                "{\"a\": [1]}",
                "--body-type",
                "json");

        assertThat(run.err()).isEmpty();
        assertThat(run.out().strip()).isEqualTo("copied message 12 to fixed");
        assertThat(broker.asked().get(0).body())
                .isEqualTo("{\"headers\":{\"priority\":9},\"properties\":{\"subject\":\"s\"},\"applicationProperties\":"
                        + "{\"country\":\"PT\",\"seats\":180,\"late\":null},\"body\":{\"a\":[1]},\"bodyType\":\"json\","
                        + "\"to\":\"fixed\"}");
    }

    @Test
    void aMessageThatStaysWithOthersIsNotDeleted() {
        broker.on("DELETE /api/v1/messages/12", 200, "{\"removed\":1,\"kept\":[\"RT-7240 it is at a consumer\"]}");

        Run run = run("message", "delete", "12");

        assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err()).startsWith("RT-6051 ").contains("RT-7240 it is at a consumer");
    }

    @Test
    void aMessageOfABrokerWithSeveralShardsIsNamedWithItsShard() {
        broker.on("GET /api/v1/messages/12?shard=2", 200, "{\"sequence\":12}")
                .on("GET /api/v1/messages/12/explain?shard=2", 200, "{\"sequence\":12}")
                .on("POST /api/v1/messages/12/copy?shard=2", 200, "{\"accepted\":true}")
                .on("DELETE /api/v1/messages/12?shard=2", 200, "{\"removed\":1,\"kept\":[]}");

        assertThat(run("message", "show", "12", "--shard", "2").exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(run("message", "explain", "12", "--shard", "2").exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(run("explain", "12", "--shard", "2").exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(run("message", "copy", "12", "--shard", "2", "--to", "q").exitCode())
                .isEqualTo(ExitCode.DONE);
        assertThat(run("message", "delete", "12", "--shard", "2").exitCode()).isEqualTo(ExitCode.DONE);
    }

    @Test
    void aUserIsAddedWithAPasswordFromStandardInputAndNotChangedByAccident() {
        broker.on("GET /api/v1/users?limit=1000", 200, "{\"items\":[{\"name\":\"anna\"}]}")
                .on("PUT /api/v1/users/ann", 201, "{}")
                .on("PUT /api/v1/users/anna", 200, "{}");

        Run added = withInput("open sesame\n", "user", "add", "ann", "--groups", "a,b", "--stdin");
        Run there = withInput("x\n", "user", "add", "anna", "--stdin");
        Run changed = run("user", "change", "anna", "--groups", "c");
        Run absent = run("user", "change", "bo", "--groups", "c");

        assertThat(added.out()).startsWith("added user ann");
        assertThat(there.err()).startsWith("RT-6049 ");
        assertThat(changed.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(absent.err()).startsWith("RT-6050 ");
        assertThat(broker.asked())
                .filteredOn(asked -> asked.what().startsWith("PUT"))
                .extracting(ScriptedBroker.Asked::body)
                .containsExactly("{\"password\":\"open sesame\",\"groups\":[\"a\",\"b\"]}", "{\"groups\":[\"c\"]}");
    }

    private Run withInput(String input, String... arguments) {
        InputStream before = System.in;
        System.setIn(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)));
        try {
            return run(arguments);
        } finally {
            System.setIn(before);
        }
    }

    @Test
    void aBodyOfBytesIsEncoded() throws Exception {
        Path file = Files.write(directory.resolve("bytes"), new byte[] {(byte) 0xff, 0});
        broker.on("POST /api/v1/addresses/a/messages", 200, "{\"accepted\":true}");

        Run sent = run("message", "send", "a", "--body-file", file.toString(), "--body-type", "base64");
        Run text = run("message", "send", "a", "--body-file", file.toString());

        assertThat(sent.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(broker.asked()).hasSize(1);
        assertThat(broker.asked().get(0).body()).isEqualTo("{\"body\":\"/wA=\",\"bodyType\":\"base64\"}");
        assertThat(text.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(text.err()).startsWith("RT-6001 ").contains("is not UTF-8", "message send --help");
    }

    @Test
    void aPolicyHasNumbersAndTexts() {
        broker.on("PUT /api/v1/policies/orders.%23", 200, "{}");

        run("policy", "put", "orders.#", "deliveriesMax=5", "deadLetterQueue=DLQ.orders", "exclusive=true");

        assertThat(broker.asked().get(0).body())
                .isEqualTo("{\"deliveriesMax\":5,\"deadLetterQueue\":\"DLQ.orders\",\"exclusive\":true}");
    }
}

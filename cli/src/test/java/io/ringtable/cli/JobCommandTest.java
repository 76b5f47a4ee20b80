package io.ringtable.cli;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.cli.failure.ExitCode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests commands that begin jobs, wait for them, or count what jobs are for. */
class JobCommandTest {
    private static final String JOB =
            "{\"id\":7,\"action\":\"REDRIVE\",\"from\":\"DLQ\",\"state\":\"%s\",\"matched\":5,"
                    + "\"done\":%d,\"failed\":%d%s}";

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
        all.add(broker.url());
        return Run.of(all.toArray(String[]::new));
    }

    private List<String> asked() {
        return broker.asked().stream().map(ScriptedBroker.Asked::what).toList();
    }

    @Test
    void aRedriveWaitsForItsEnd() {
        broker.on("POST /api/v1/jobs", 202, job("RUNNING", 0, 0))
                .on("GET /api/v1/jobs/7", 200, job("RUNNING", 2, 0))
                .on("GET /api/v1/jobs/7", 503, "{\"code\":\"RT-7009\",\"message\":\"starts anew\"}")
                .on("GET /api/v1/jobs/7", 200, job("DONE", 5, 0));

        Run run = run("deadletter", "redrive", "--origin", "orders", "--rate", "100");

        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(run.out().strip()).isEqualTo("job 7 (redrive from DLQ): 5 messages done");
        assertThat(broker.asked().get(0).body())
                .isEqualTo("{\"action\":\"redrive\",\"from\":\"DLQ\",\"rate\":100,\"dryRun\":false,"
                        + "\"origin\":\"orders\"}");
    }

    @Test
    void aJobWorksWithMessagesOfATime() {
        broker.on("POST /api/v1/jobs", 202, job("RUNNING", 0, 0))
                .on("GET /api/v1/subscriptions/3", 200, "{\"id\":3,\"address\":\"news\"}")
                .on("GET /api/v1/jobs/7", 200, job("DONE", 5, 0));

        run("deadletter", "redrive", "--hour", "2026-01-02T08:30:00Z", "--detach");
        run("job", "start", "move", "a", "--to", "b", "--since", "2026-01-02T08:00:00+01:00", "--detach");
        run("subscription", "purge", "3", "--until", "2026-01-02T08:00:00Z");

        assertThat(broker.asked())
                .filteredOn(asked -> asked.what().startsWith("POST"))
                .extracting(ScriptedBroker.Asked::body)
                .containsExactly(
                        "{\"action\":\"redrive\",\"from\":\"DLQ\",\"since\":\"2026-01-02T08:00:00Z\","
                                + "\"until\":\"2026-01-02T08:59:59.999Z\",\"dryRun\":false}",
                        "{\"action\":\"move\",\"from\":\"a\",\"since\":\"2026-01-02T07:00:00Z\","
                                + "\"dryRun\":false,\"to\":\"b\"}",
                        "{\"action\":\"delete\",\"from\":\"news\",\"subscription\":3,"
                                + "\"until\":\"2026-01-02T08:00:00Z\"}");
    }

    @Test
    void aJobThatFailsIsAFailure() {
        broker.on("POST /api/v1/jobs", 202, job("RUNNING", 0, 0))
                .on("GET /api/v1/jobs/7", 200, JOB.formatted("DONE", 4, 1, ",\"error\":\"RT-2001 'orders' is full\""));

        Run run = run("deadletter", "redrive");

        assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(run.out()).contains("4 messages done");
        assertThat(run.err()).startsWith("RT-6048 ").contains("DONE, and 1 messages stay", "'orders' is full");
    }

    @Test
    void aDetachedJobIsLeftToTheBroker() {
        broker.on("POST /api/v1/jobs", 202, job("RUNNING", 0, 0));

        Run run = run("message", "move", "queue://a", "--to", "b", "--detach", "--max", "5");

        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(run.out()).contains("ringtable job show 7", "ringtable job cancel 7");
        assertThat(asked()).containsExactly("POST /api/v1/jobs");
        assertThat(broker.asked().get(0).body())
                .isEqualTo("{\"action\":\"move\",\"from\":\"a\",\"max\":5,\"dryRun\":false,\"to\":\"b\"}");
    }

    @Test
    void aTopicIsPurgedSubscriptionBySubscription() {
        broker.on("GET /api/v1/addresses/news", 200, "{\"name\":\"news\",\"kind\":\"TOPIC\"}")
                .on("GET /api/v1/subscriptions?address=news&limit=1000", 200, "{\"items\":[{\"id\":3},{\"id\":8}]}")
                .on("POST /api/v1/jobs", 202, job("RUNNING", 0, 0))
                .on("GET /api/v1/jobs/7", 200, job("DONE", 5, 0));

        Run run = run("address", "purge", "topic://news");

        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(run.lines()).hasSize(2);
        assertThat(broker.asked())
                .filteredOn(asked -> asked.what().startsWith("POST"))
                .extracting(ScriptedBroker.Asked::body)
                .containsExactly(
                        "{\"action\":\"delete\",\"from\":\"news\",\"subscription\":3}",
                        "{\"action\":\"delete\",\"from\":\"news\",\"subscription\":8}");
    }

    @Test
    void anInterruptedWaitLeavesTheJobRunning() throws Exception {
        broker.on("GET /api/v1/jobs/7", 200, job("RUNNING", 1, 0));
        CompletableFuture<Run> run = new CompletableFuture<>();
        Thread waiting = new Thread(() -> run.complete(run("job", "watch", "7")), "waiting");
        waiting.start();
        await().atMost(1, MINUTES).until(() -> broker.asked().size() > 1);
        waiting.interrupt();

        assertThat(run.get(1, MINUTES).exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(run.get().err()).startsWith("RT-6047 ").contains("ringtable job cancel 7");
        assertThat(asked()).containsOnly("GET /api/v1/jobs/7");
    }

    private static String job(String state, int done, int failed) {
        return JOB.formatted(state, done, failed, "");
    }

    @Test
    void deadLettersAreAddedUpByReason() {
        broker.on("GET /api/v1/deadletters?max=10", 200, """
                {"letters": 10, "complete": false, "groups": [
                 {"queue": "DLQ", "origin": "a", "reason": "late", "count": 1, "oldest": "2026-01-02T00:00:00Z",
                  "newest": "2026-01-02T00:00:00.5Z"},
                 {"queue": "DLQ", "origin": "a", "reason": "odd", "count": 4, "oldest": "2026-01-02T00:00:00Z",
                  "newest": "2026-01-03T00:00:00Z"},
                 {"queue": "E", "origin": "b", "reason": "late", "count": 5, "oldest": "2026-01-01T00:00:00Z",
                  "newest": "2026-01-02T00:00:00Z"}]}""");

        Run all = run("deadletter", "list", "--max", "10");
        Run byReason = run("deadletter", "list", "--max", "10", "--by", "reason", "--output", "json");

        assertThat(all.lines())
                .hasSize(4)
                .contains("DLQ    a       late        1  2026-01-02T00:00:00Z  2026-01-02T00:00:00Z");
        assertThat(all.err()).contains("10 messages were looked at");
        assertThat(byReason.lines())
                .containsExactly(
                        "{\"reason\":\"late\",\"count\":6,\"oldest\":\"2026-01-01T00:00:00Z\",\"newest\":"
                                + "\"2026-01-02T00:00:00.5Z\"}",
                        "{\"reason\":\"odd\",\"count\":4,\"oldest\":\"2026-01-02T00:00:00Z\",\"newest\":"
                                + "\"2026-01-03T00:00:00Z\"}");
    }

    @Test
    void deadLettersOfAnHourAreAddedUpByOriginAndWhatCameBeforeIsLast() {
        broker.on("GET /api/v1/deadletters?hourly=true", 200, """
                {"letters": 9, "complete": true, "groups": [
                 {"queue": "E", "origin": "a", "reason": "late", "count": 7, "oldest": "2026-01-01T00:00:00Z",
                  "newest": "2026-01-01T05:00:00Z"},
                 {"queue": "DLQ", "hour": "2026-01-02T08:00:00Z", "origin": "a", "reason": "late", "count": 1,
                  "oldest": "2026-01-02T08:01:00Z", "newest": "2026-01-02T08:01:00Z"},
                 {"queue": "E", "hour": "2026-01-02T08:00:00Z", "origin": "a", "reason": "odd", "count": 2,
                  "oldest": "2026-01-02T08:00:00Z", "newest": "2026-01-02T08:02:00Z"},
                 {"queue": "DLQ", "hour": "2026-01-02T09:00:00Z", "origin": "b", "reason": "odd", "count": 4,
                  "oldest": "2026-01-02T09:00:00Z", "newest": "2026-01-02T09:59:00Z"}]}""");

        Run all = run("deadletter", "list", "--hourly");
        Run byOrigin = run("deadletter", "list", "--hourly", "--by", "origin");

        assertThat(all.lines()).hasSize(5);
        assertThat(all.lines().get(0)).matches("queue +hour +origin +reason +count +oldest +newest");
        assertThat(byOrigin.lines().get(0)).matches("hour +origin +count +oldest +newest");
        assertThat(byOrigin.lines().get(1)).matches("2026-01-02T09:00:00Z +b +4 .*");
        assertThat(byOrigin.lines().get(2))
                .matches("2026-01-02T08:00:00Z +a +3  2026-01-02T08:00:00Z  2026-01-02T08:02:00Z");
        assertThat(byOrigin.lines().get(3)).matches(" +a +7 .*");
    }
}

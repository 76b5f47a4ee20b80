package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.config.StoreProperties;
import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.TestDatabase;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;
import jakarta.jms.Connection;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/** Holds the threads that the application starts against the tables of threads in {@code docs/ARCHITECTURE.md}. */
@ExtendWith(WithoutBuildProperties.class)
class ThreadTableTest {
    private static final Path ARCHITECTURE =
            Path.of(System.getProperty("ringtable.root", ".."), "docs", "ARCHITECTURE.md");
    /** Threads of the clients in this process, and of the tests' JVM. */
    private static final Pattern NOT_THE_BROKERS = Pattern.compile("AmqpProvider.*|QpidJMS.*|.*[eE]ventLoopGroup-.*"
            + "|HttpClient-.*|surefire-.*|ForkJoinPool.*|Attach Listener|Common-Cleaner|Signal Dispatcher");

    private static final String CLUSTER = "cluster-keeper"; // where other nodes serve too
    private static final String CARRIER = "inbox-carrier-from-1"; // where there are several databases

    /** Stands for the number of a shard, where it is not the first. */
    private static final String OF_SHARD = "[-N]";

    private static final Pattern WILD = Pattern.compile("ENGINE|…|" + Pattern.quote(OF_SHARD) + "|\\bN\\b");

    @TempDir
    Path directory;

    @Test
    void everyThreadOnSqliteStandsInTheTables() throws Exception {
        hold(
                threadsOf("--ringtable.data-dir=" + directory),
                "inbox-collector",
                CARRIER,
                CLUSTER,
                "directory",
                "address-mover");
    }

    @Test
    void threadsOfAnotherShardCarryItsNumber() throws Exception {
        Set<String> started = threadsOf("--ringtable.data-dir=" + directory, "--ringtable.shards=2");
        hold(started, "inbox-collector", CARRIER, CLUSTER);
        List<String> perShard = new ArrayList<>();
        readTables(new ArrayList<>(), new ArrayList<>(), perShard);
        assertThat(perShard)
                .as("threads that each shard has")
                .hasSizeGreaterThan(5)
                .filteredOn(name -> !name.startsWith("inbox-")) // of servers
                .allMatch(name -> started.stream()
                        .anyMatch(pattern(name.replace(OF_SHARD, "-1")).asMatchPredicate()));
    }

    /** Two databases, since one has no carrier. */
    @Test
    void everyThreadOnPostgresqlStandsInTheTables() throws Exception {
        TestDatabase database = null;
        TestDatabase second = null;
        try {
            database = new PostgresqlTestDatabase();
            second = new PostgresqlTestDatabase();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
        try {
            StoreProperties store = database.settings().properties();
            StoreProperties other = second.settings().properties();
            hold(
                    threadsOf(
                            "--ringtable.data-dir=" + directory,
                            "--ringtable.store.url=" + store.url(),
                            "--ringtable.store.username=" + store.username(),
                            "--ringtable.store.password=" + store.password(),
                            "--ringtable.shards=2",
                            "--ringtable.cluster.enabled=true",
                            "--ringtable.stores[0].name=second",
                            "--ringtable.stores[0].url=" + other.url(),
                            "--ringtable.stores[0].username=" + other.username(),
                            "--ringtable.stores[0].password=" + other.password(),
                            "--ringtable.stores[0].shards=1"),
                    "sqlite-checkpoint");
        } finally {
            database.close();
            second.close();
        }
    }

    /** @param others threads of the table that only another engine has, or a broker with several shards */
    private static void hold(Set<String> started, String... others) throws IOException {
        List<Pattern> ours = new ArrayList<>();
        List<Pattern> all = new ArrayList<>();
        readTables(ours, all, new ArrayList<>());
        assertThat(started).as("threads of the broker").allMatch(name -> matchesAny(all, name));
        assertThat(ours)
                .as("the broker's own threads in the table")
                .filteredOn(row -> Stream.of(others).noneMatch(row.asMatchPredicate()))
                .allMatch(row -> started.stream().anyMatch(row.asMatchPredicate()));
    }

    /** Names of the threads that are there because the application runs and is used. */
    private static Set<String> threadsOf(String... arguments) throws Exception {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        Set<String> found = new HashSet<>();
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of(
                "--ringtable.amqp.port=0",
                "--server.port=0",
                "--ringtable.tracing.enabled=true",
                "--management.opentelemetry.tracing.export.otlp.endpoint=http://127.0.0.1:9/v1/traces",
                "--ringtable.security.users[0].name=shop",
                "--ringtable.security.users[0].password={noop}a password of the test"));
        try (ConfigurableApplicationContext application =
                SpringApplication.run(BrokerApplication.class, all.toArray(String[]::new))) {
            int amqp = application.getBean(RingtableBroker.class).amqpPort();
            int http =
                    ((WebServerApplicationContext) application).getWebServer().getPort();
            use(amqp, http);
            application.getBean(RingtableBroker.class).inspector().show(0, any -> {}); // starts its thread
            Predicate<Thread> isNew = thread -> !before.contains(thread);
            Thread.getAllStackTraces().keySet().stream()
                    .filter(isNew)
                    .map(Thread::getName)
                    .filter(name -> !NOT_THE_BROKERS.matcher(name).matches())
                    .forEach(found::add);
        }
        return found;
    }

    private static void use(int amqp, int http) throws Exception {
        JmsConnectionFactory factory = new JmsConnectionFactory(
                "shop", "a password of the test", "amqp://127.0.0.1:" + amqp + "?amqp.saslMechanisms=PLAIN"); // hashes
        try (JMSContext context = factory.createContext()) {
            for (String name : List.of("threads", "other threads")) { // in two shards, where there are two
                Queue queue = context.createQueue(name);
                context.createProducer().send(queue, new byte[100_000]); // large: it goes by the stager
                assertThat(context.createConsumer(queue).receiveBody(byte[].class, 60_000))
                        .hasSize(100_000);
            }
        }
        askOverAmqp(factory);
        String login =
                Base64.getEncoder().encodeToString("shop:a password of the test".getBytes(StandardCharsets.UTF_8));
        assertThat(get(http, login, "/status")).isEqualTo(200);
        assertThat(get(http, login, "/api/v1/messages/0?shard=1")).isIn(200, 404); // starts the inspector of a shard 1
    }

    /** @return the status of the answer */
    private static int get(int http, String login, String path) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + http + path))
                                .header("Authorization", "Basic " + login)
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .statusCode();
    }

    private static void askOverAmqp(JmsConnectionFactory factory) throws JMSException {
        try (Connection connection = factory.createConnection()) {
            connection.start();
            Session session = connection.createSession();
            TemporaryQueue answers = session.createTemporaryQueue();
            Message question = session.createMessage();
            question.setJMSType("DELETE"); // a change, which leaves its line
            question.setStringProperty("path", "/addresses/absent");
            question.setJMSReplyTo(answers);
            session.createProducer(session.createQueue("$management")).send(question);
            assertThat(session.createConsumer(answers).receive(60_000).getJMSType())
                    .isEqualTo("404");
        }
    }

    private static boolean matchesAny(List<Pattern> rows, String name) {
        return rows.stream().anyMatch(row -> row.matcher(name).matches());
    }

    /** @param ours gets the rows of the first table, {@code all} those of both, {@code perShard} those of a shard */
    private static void readTables(List<Pattern> ours, List<Pattern> all, List<String> perShard) throws IOException {
        String text = Files.readString(ARCHITECTURE);
        int from = text.indexOf("## Threads");
        String section = text.substring(from, text.indexOf("### State that several threads write", from));
        int tables = 0;
        for (String line : section.lines().toList()) {
            if (line.startsWith("| thread |")) {
                tables++;
            } else if (line.startsWith("| `")) {
                String first = line.substring(1, line.indexOf('|', 1));
                List<String> names = Pattern.compile("`([^`]+)`")
                        .matcher(first)
                        .results()
                        .map(name -> name.group(1))
                        .toList();
                names.stream().map(ThreadTableTest::pattern).forEach(all::add);
                if (tables == 1) {
                    names.stream().map(ThreadTableTest::pattern).forEach(ours::add);
                    names.stream().filter(name -> name.contains(OF_SHARD)).forEach(perShard::add);
                }
            }
        }
        assertThat(tables).isEqualTo(2);
    }

    /** N is a number, or those of a pool and of a thread; an ellipsis is anything, as is the name of an engine. */
    private static Pattern pattern(String name) {
        StringBuilder pattern = new StringBuilder();
        int from = 0;
        Matcher wild = WILD.matcher(name);
        for (; wild.find(); from = wild.end()) {
            pattern.append(Pattern.quote(name.substring(from, wild.start())));
            pattern.append(
                    switch (wild.group()) {
                        case "N" -> "\\d+(-\\d+)*";
                        case OF_SHARD -> "(-\\d+)?";
                        default -> ".*";
                    });
        }
        return Pattern.compile(
                pattern.append(Pattern.quote(name.substring(from))).toString());
    }
}

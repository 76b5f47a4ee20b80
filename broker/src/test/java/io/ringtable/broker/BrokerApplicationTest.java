package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.config.startup.ApplicationConfiguration;
import io.ringtable.broker.metrics.BrokerMetric;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Arrays;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The application as it is shipped, on a SQLite file of its own: what HTTP shows of it. */
@ExtendWith(WithoutBuildProperties.class)
class BrokerApplicationTest {
    @TempDir
    static Path directory;

    private static ConfigurableApplicationContext application;
    private static URI http;

    @BeforeAll
    static void start() {
        application = SpringApplication.run(
                BrokerApplication.class,
                "--ringtable.data-dir=" + directory,
                "--ringtable.amqp.port=0",
                "--server.port=0");
        int port = ((WebServerApplicationContext) application).getWebServer().getPort();
        http = URI.create("http://127.0.0.1:" + port);
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @Test
    void isAliveAndReady() throws Exception {
        assertThat(get("/livez").statusCode()).isEqualTo(200);
        assertThat(get("/readyz").statusCode()).isEqualTo(200);
        assertThat(get("/actuator/health/liveness").body()).doesNotContain("shard");
        assertThat(get("/actuator/health/readiness").body()).contains("\"phase\":\"ACTIVE\"");
    }

    /** Spring Boot reads every class of these packages at every start. */
    @Test
    void hasSpringBootSearchAPackageOfFewClasses() {
        assertThat(AutoConfigurationPackages.get(application))
                .containsExactly(ApplicationConfiguration.class.getPackageName());
    }

    @Test
    void showsNoOtherEndpoint() throws Exception {
        for (String path :
                new String[] {"/actuator", "/actuator/env", "/actuator/sbom", "/actuator/beans", "/actuator/shutdown"
                }) {
            assertThat(get(path).statusCode()).as(path).isEqualTo(404);
        }
    }

    /** Without users everybody who reaches HTTP sees the console, and has nothing to log in to. */
    @Test
    void leadsToTheConsole() throws Exception {
        HttpResponse<String> root = get("/");
        assertThat(root.statusCode()).isEqualTo(302);
        assertThat(root.headers().firstValue("Location")).hasValue("/console");
        assertThat(get("/console").body())
                .contains("All is well", ">Ring</h2>", "hx-get=\"/console/live/overview\"")
                .doesNotContain("Log out", "class=\"shards\"");
        assertThat(get("/console/login").headers().firstValue("Location")).hasValue("/console");
    }

    @Test
    void tellsWhatIsOwedToWhom() throws Exception {
        send("status-test");

        JsonNode status = JsonMapper.shared().readTree(get("/status").body());

        assertThat(status.path("state").asString()).isEqualTo("ACTIVE");
        assertThat(status.path("engine").asString()).startsWith("SQLite");
        assertThat(status.path("durability").asString()).isEqualTo("full (synced before accepted)");
        assertThat(status.path("shards").size()).isEqualTo(1);
        assertThat(status.path("shards").path(0).path("capacity").asInt()).isEqualTo(65_536);
        assertThat(status.path("shards").path(0).path("heldBy").toString()).contains("status-test");
        assertThat(get("/api/v1/addresses/status-test").body())
                .contains("\"name\":\"status-test\"")
                .doesNotContain("shards");
        JsonNode address = null;
        for (JsonNode candidate : status.path("addresses")) {
            if (candidate.path("name").asString().equals("status-test")) {
                address = candidate;
            }
        }
        assertThat(address).isNotNull();
        assertThat(address.path("kind").asString()).isEqualTo("QUEUE");
        assertThat(address.path("subscriptions").path(0).path("owedInRing").asLong())
                .isEqualTo(1);
    }

    @Test
    void carriesEveryMetricUnderItsDocumentedName() throws Exception {
        send("metrics-test");
        System.gc(); // meters hold what they read weakly

        String scrape = get("/actuator/prometheus").body();

        assertThat(Arrays.stream(BrokerMetric.values())
                        .map(BrokerMetric::prometheusName)
                        .filter(name -> !scrape.contains("# TYPE " + name + " ")))
                .as("metrics without a meter")
                .isEmpty();
        assertThat(scrape.lines()
                        .filter(line -> line.startsWith("# TYPE ringtable_"))
                        .map(line -> line.split(" ")[2])
                        .filter(name -> !name.endsWith("_max"))
                        .filter(name -> Arrays.stream(BrokerMetric.values())
                                .noneMatch(metric -> metric.prometheusName().equals(name))))
                .as("meters that are not in BrokerMetric")
                .isEmpty();
        assertThat(scrape)
                .contains("ringtable_state{phase=\"active\"} 1.0")
                .doesNotContain("shard="); // a tag for one shard would make other series of those that are kept
        assertThat(value(scrape, "ringtable_messages_in_total")).isPositive();
        assertThat(value(scrape, "ringtable_flush_seconds_count")).isPositive();
        assertThat(value(scrape, "ringtable_commit_seconds_count")).isPositive();
        assertThat(value(scrape, "ringtable_ring_capacity")).isEqualTo(65_536);
    }

    private static double value(String scrape, String series) {
        return scrape.lines()
                .filter(line -> line.startsWith(series + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + series));
    }

    private static void send(String queue) {
        int port = application.getBean(RingtableBroker.class).amqpPort();
        try (var context = new JmsConnectionFactory("amqp://127.0.0.1:" + port).createContext()) {
            context.createProducer().send(context.createQueue(queue), "one");
        }
    }

    private static HttpResponse<String> get(String path) throws Exception {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(http.resolve(path)).build(), HttpResponse.BodyHandlers.ofString());
    }
}

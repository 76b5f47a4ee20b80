package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.metrics.BrokerMetric;
import jakarta.jms.JMSContext;
import jakarta.jms.Queue;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Holds that the dashboard and the alert rules in {@code ops/} ask for what a broker shows after some traffic. Brokers
 * with one shard and with several are tried, and each alert has its cure. Whether the alerts fire when they should,
 * {@code ops/check.sh} tests with Prometheus's own tool.
 */
@ExtendWith(WithoutBuildProperties.class)
class DashboardAndAlertsTest {
    private static final Path ROOT = Path.of("..");
    private static final Path RULES = ROOT.resolve("ops/prometheus/ringtable.rules.yaml");
    private static final Path DASHBOARD = ROOT.resolve("ops/grafana/ringtable.json");
    private static final String RUNBOOKS = "docs/operations.md";
    private static final String DATA_SOURCE = "${datasource}";
    private static final int COLUMNS = 24;

    private static final Pattern LEGEND_LABEL = Pattern.compile("\\{\\{\\s*(\\w+)\\s*}}");
    private static final Pattern ANNOTATION_LABEL = Pattern.compile("\\$labels\\.(\\w+)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.+)$");

    @TempDir
    static Path directory;

    private static final String SHARD = "shard";

    private static PromSeries series; // of a broker with one shard
    private static PromSeries ofSeveral; // of one with several

    @BeforeAll
    static void scrape() {
        series = scraped(1);
        ofSeveral = scraped(2);
    }

    /** Scrapes a broker once a message has come and gone, and the heap has been collected. */
    private static PromSeries scraped(int shards) {
        try (ConfigurableApplicationContext application = SpringApplication.run(
                BrokerApplication.class,
                "--ringtable.data-dir=" + directory.resolve("data-" + shards),
                "--ringtable.shards=" + shards,
                "--ringtable.ring.capacity=" + TestSettings.RING_CAPACITY,
                "--ringtable.amqp.port=0",
                "--server.port=0")) {
            int amqp = application.getBean(RingtableBroker.class).amqpPort();
            try (JMSContext context = new JmsConnectionFactory("amqp://127.0.0.1:" + amqp).createContext()) {
                Queue queue = context.createQueue("orders");
                context.createProducer().send(queue, "one");
                assertThat(context.createConsumer(queue).receive(60_000)).isNotNull();
            }
            System.gc();
            URI uri = URI.create("http://127.0.0.1:"
                    + ((WebServerApplicationContext) application).getWebServer().getPort() + "/actuator/prometheus");
            // The JVM tells of a collection a moment later, the sampler of an address.
            String scrape = await().until(
                            () -> get(uri), it -> it.contains("jvm_gc_pause") && it.contains("{address=\"orders\""));
            return PromSeries.of(scrape);
        }
    }

    private static String get(URI uri) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }

    @Test
    void rulesAskForWhatTheBrokerShows() throws IOException {
        for (Map<String, Object> rule : rules()) {
            String texts = String.valueOf(rule.get("annotations"));
            assertThat(missing((String) rule.get("expr"), labels(ANNOTATION_LABEL, texts)))
                    .as((String) rule.get("alert"))
                    .isEmpty();
        }
    }

    @Test
    void theDashboardAsksForWhatTheBrokerShows() throws IOException {
        List<JsonNode> targets = targets(dashboard());

        assertThat(targets).hasSizeGreaterThan(50);
        for (JsonNode target : targets) {
            Set<String> legend =
                    labels(LEGEND_LABEL, target.path("legendFormat").asString(""));
            assertThat(missing(target.path("expr").asString(), legend))
                    .as(target.path("expr").asString())
                    .isEmpty();
        }
    }

    /** Returns what an expression asks for in vain; with one shard no series has to say which. */
    private static List<String> missing(String expression, Set<String> shown) {
        Set<String> others = new HashSet<>(shown);
        others.remove(SHARD);
        List<String> missing = new ArrayList<>(series.missing(expression, others));
        missing.remove("label " + SHARD);
        missing.addAll(ofSeveral.missing(expression, shown));
        return missing;
    }

    /** Two lines of one name, or two alerts for one cause, would come of several shards. */
    @Test
    void seriesOfShardsAreBroughtTogetherOrSayTheirShard() throws IOException {
        for (JsonNode target : targets(dashboard())) {
            String expression = target.path("expr").asString();
            if (!labels(LEGEND_LABEL, target.path("legendFormat").asString("")).contains(SHARD)) {
                assertThat(broughtTogether(expression)).as(expression).isTrue();
            }
        }
        for (Map<String, Object> rule : rules()) {
            String expression = (String) rule.get("expr");
            assertThat(broughtTogether(expression)).as(expression).isTrue();
        }
    }

    private static boolean broughtTogether(String expression) {
        return !ofSeveral.have(SHARD, expression)
                || PromQuery.of(expression).dropped().contains(SHARD)
                || expression.matches("(?s)(sum|min|max)\\(.*");
    }

    @Test
    void theDashboardShowsEveryMetricOfTheBroker() throws IOException {
        String all = targets(dashboard()).stream()
                .map(target -> target.path("expr").asString())
                .collect(Collectors.joining("\n"));

        assertThat(Arrays.stream(BrokerMetric.values())
                        .map(BrokerMetric::prometheusName)
                        .filter(name -> !Pattern.compile("\\b" + name + "(_sum|_count|_max)?\\b")
                                .matcher(all)
                                .find()))
                .isEmpty();
    }

    /** Grafana repairs panels that lie on each other, and so hides the mistake. */
    @Test
    void panelsHaveTheirOwnIdAndPlaceAndTheDataSourceOfTheVariable() throws IOException {
        JsonNode dashboard = dashboard();
        Set<Integer> ids = new HashSet<>();
        Set<String> taken = new HashSet<>();
        for (JsonNode panel : dashboard.path("panels")) {
            String title = panel.path("title").asString();
            assertThat(ids.add(panel.path("id").asInt())).as(title).isTrue();
            JsonNode place = panel.path("gridPos");
            for (int x = place.path("x").asInt();
                    x < place.path("x").asInt() + place.path("w").asInt();
                    x++) {
                assertThat(x).as(title).isLessThan(COLUMNS);
                for (int y = place.path("y").asInt();
                        y < place.path("y").asInt() + place.path("h").asInt();
                        y++) {
                    assertThat(taken.add(x + "," + y)).as(title).isTrue();
                }
            }
            if (!panel.path("type").asString().equals("row")) {
                assertThat(panel.path("description").asString()).as(title).endsWith(".");
                assertThat(panel.path("targets").isEmpty()).as(title).isFalse();
                assertThat(panel.path("datasource").path("uid").asString())
                        .as(title)
                        .isEqualTo(DATA_SOURCE);
            }
        }
        for (JsonNode target : targets(dashboard)) {
            assertThat(target.path("datasource").path("uid").asString()).isEqualTo(DATA_SOURCE);
        }
        assertThat(dashboard
                        .path("templating")
                        .path("list")
                        .path(0)
                        .path("name")
                        .asString())
                .isEqualTo("datasource");
    }

    @Test
    void rulesHaveTheFormThatPrometheusTakes() throws IOException {
        Set<String> names = new HashSet<>();
        for (Map<String, Object> rule : rules()) {
            String alert = String.valueOf(rule.get("alert"));
            assertThat(alert).matches("Ringtable([A-Z][a-z]+)+");
            assertThat(names.add(alert)).as(alert).isTrue();
            assertThat(rule.keySet()).as(alert).isSubsetOf("alert", "expr", "for", "labels", "annotations");
            assertThat(String.valueOf(rule.getOrDefault("for", "0m"))).as(alert).matches("\\d+[smh]");
            assertThat(map(rule.get("labels")).keySet()).as(alert).containsExactly("severity");
            assertThat(map(rule.get("labels")).get("severity")).as(alert).isIn("critical", "warning");
            assertThat(map(rule.get("annotations")).keySet())
                    .as(alert)
                    .containsExactly("summary", "description", "runbook");
        }
    }

    @Test
    void everyAlertHasItsCureAndEveryCureItsAlert() throws IOException {
        String page = Files.readString(ROOT.resolve(RUNBOOKS));
        Set<String> anchors = HEADING.matcher(page)
                .results()
                .map(heading -> anchor(heading.group(1)))
                .collect(Collectors.toSet());
        List<String> alerts = new ArrayList<>();
        for (Map<String, Object> rule : rules()) {
            String alert = (String) rule.get("alert");
            String[] runbook =
                    String.valueOf(map(rule.get("annotations")).get("runbook")).split("#");
            alerts.add(alert);
            assertThat(runbook).as(alert).containsExactly(RUNBOOKS, anchor(alert));
            assertThat(anchors).as(alert).contains(runbook[1]);
        }

        String cures = page.replaceFirst("(?s).*\n## Alerts\n", "").replaceFirst("(?s)\n## .*", "");
        List<String> described = new ArrayList<>();
        for (String section : cures.split("(?m)^### ")) {
            if (section.startsWith("Ringtable")) {
                String[] lines = section.split("\n", 2);
                described.add(lines[0]);
                assertThat(lines[1].strip()).as(lines[0]).hasSizeGreaterThan(100);
            }
        }
        assertThat(described).containsExactlyInAnyOrderElementsOf(alerts);
    }

    /** The other tests can fail: what does not exist is found. */
    @Test
    void whatTheBrokerDoesNotShowIsFound() {
        assertThat(series.missing("sum by (job) (rate(ringtable_messages_inn_total[5m])) > 0", Set.of("job")))
                .containsExactly("metric ringtable_messages_inn_total");
        assertThat(series.missing("ringtable_state{phase=\"actve\"} == 1 or up{job=~\"ringtable.*\"}", Set.of()))
                .hasSize(1);
        assertThat(series.missing("ringtable_owed{plce!=\"ring\"}", Set.of("address", "job")))
                .hasSize(1);
        assertThat(series.missing("max by (addres) (ringtable_owed)", Set.of())).containsExactly("label addres");
        assertThat(series.missing("max by (job) (ringtable_owed)", Set.of("address")))
                .containsExactly("label address to show");
        assertThat(ofSeveral.missing("sum without (shard) (ringtable_owed)", Set.of("address", SHARD)))
                .containsExactly("label shard to show");
        assertThat(broughtTogether("ringtable_quota_used > 0.95")).isFalse();
        assertThat(series.have(SHARD, "ringtable_quota_used")).isFalse();
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object yaml) {
        return (Map<String, Object>) yaml;
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> rules() throws IOException {
        LoaderOptions strict = new LoaderOptions();
        strict.setAllowDuplicateKeys(false);
        Map<String, Object> file = new Yaml(strict).load(Files.readString(RULES));
        assertThat(file.keySet()).containsExactly("groups");
        List<Map<String, Object>> rules = new ArrayList<>();
        for (Map<String, Object> group : (List<Map<String, Object>>) file.get("groups")) {
            assertThat(group.keySet()).containsExactly("name", "rules");
            rules.addAll((List<Map<String, Object>>) group.get("rules"));
        }
        assertThat(rules).hasSizeGreaterThan(10);
        return rules;
    }

    private static JsonNode dashboard() throws IOException {
        return JsonMapper.shared().readTree(Files.readString(DASHBOARD));
    }

    /** Returns everything that asks Prometheus: of panels and of annotations. */
    private static List<JsonNode> targets(JsonNode dashboard) {
        List<JsonNode> targets = new ArrayList<>();
        dashboard.path("panels").forEach(panel -> panel.path("targets").forEach(targets::add));
        dashboard.path("annotations").path("list").forEach(targets::add);
        return targets;
    }

    private static Set<String> labels(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult each) -> each.group(1))
                .collect(Collectors.toSet());
    }

    /** Returns the anchor that GitHub and the site give a heading. */
    private static String anchor(String heading) {
        return heading.toLowerCase(Locale.ROOT).replaceAll("[^\\w\\- ]", "").replace(' ', '-');
    }
}

package io.ringtable.benchmarks.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.ringtable.benchmarks.claim.TestRows;
import io.ringtable.benchmarks.suite.Dimension;
import io.ringtable.benchmarks.suite.Figure;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class PageTest {
    private static final Map<Figure, String> WEAK =
            Map.of(Figure.VERIFIED, "not durable", Figure.WHY_NOT, "0 syncs for 500 commits");
    private static final Pattern SCRIPT = Pattern.compile("(?s)<script[^>]*>(.*?)</script>");

    /** Runs in the page behind its scripts, and leaves there what a reader would see. */
    private static final String LOOK = """
            <script>
            (() => {
              const drawn = canvas => {
                const all = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
                return all.some(value => value !== 0);
              };
              const charts = [...document.querySelectorAll('canvas')].map(canvas => {
                const chart = Chart.getChart(canvas);
                return {
                  type: chart.config.type,
                  labels: chart.data.datasets.map(dataset => dataset.label),
                  data: chart.data.datasets.map(dataset => dataset.data),
                  dashed: chart.data.datasets.map((dataset, at) => chart.config.type === 'line'
                      && chart.getDatasetMeta(at).dataset.segments.some(part => part.style && part.style.borderDash)),
                  hatched: chart.data.datasets.map(dataset => Array.isArray(dataset.backgroundColor)
                      && dataset.backgroundColor.some(fill => fill instanceof CanvasPattern)),
                  drawn: drawn(canvas)
                };
              });
              const look = {
                errors: window.seen,
                charts,
                loaded: performance.getEntriesByType('resource').length,
                paper: getComputedStyle(document.body).backgroundColor,
                ids: new Set([...document.querySelectorAll('[id]')].map(one => one.id)).size,
                withId: document.querySelectorAll('[id]').length,
                levels: [...document.querySelectorAll('h1, h2, h3')].map(heading => heading.tagName),
                rows: [...document.querySelectorAll('#claims tbody')]
                    .every(body => body.rows.length === body.rows[0].cells[0].rowSpan),
                links: [...document.querySelectorAll('nav a')]
                    .every(link => document.getElementById(link.hash.substring(1)) !== null),
                weakRows: document.querySelectorAll('tr.weak').length
              };
              const place = document.createElement('pre');
              place.id = 'look';
              place.textContent = JSON.stringify(look);
              document.body.append(place);
            })();
            </script>
            </body>""";

    private static final String LISTEN = """
            <head>
            <script>window.seen = []; window.onerror = message => window.seen.push(message);
            document.addEventListener('securitypolicyviolation', event => window.seen.push(event.blockedURI));
            </script>""";

    @TempDir
    private Path directory;

    @Test
    void thePageNamesClaimsVerdictsAndItsManifest() {
        assertThat(html())
                .startsWith("<!DOCTYPE html>\n<html lang=\"en\">")
                .contains("<h1>", "<code>bin/ringtable bench profile&#x3D;quick</code>")
                .contains("<p class=\"mark\" role=\"note\">NOT DURABLE: 20 of 45 runs that were to be durable")
                .contains("extremely sensitive to the latency", "<strong class=\"confirmed\">confirmed</strong>")
                .contains("<strong class=\"elsewhere\">measured elsewhere</strong>")
                .contains("5 of 5 rows of &#39;ring body_bytes&#x3D;100&#39; left out: not durable (0 syncs for 500")
                .contains("<h2>What does a batch gain, and from where on does a larger one gain nothing?</h2>")
                .contains("<strong class=\"weak\">not durable</strong> (dashed or hatched): ring at batch&#x3D;1")
                .contains("commit abc, profile quick\n2 processors, &lt;script&gt;");
    }

    @Test
    void nothingIsLoadedFromElsewhere() {
        String own = SCRIPT.matcher(html()).replaceAll("");
        assertThat(own).doesNotContain("src=", "http:", "https:", "url(", "@import");
        assertThat(own.split("<link", -1)).hasSize(2);
        assertThat(html()).contains("default-src 'none'").doesNotContain("sourceMappingURL");
    }

    @Test
    void dataCannotEndTheScriptThatHoldsIt() {
        new TestRows()
                .add("batches", "sqlite", named("</script><script>x()", 1), Figure.MESSAGES_PER_S, Map.of(), 1)
                .add("batches", "sqlite", named("<!--<script>", 10), Figure.MESSAGES_PER_S, Map.of(), 2)
                .write(directory, "commit abc");
        String html = Page.html(Report.read(directory, engines -> "bin/ringtable bench --engine " + engines));
        List<String> scripts =
                SCRIPT.matcher(html).results().map(match -> match.group(1)).toList();
        assertThat(scripts).hasSize(3);
        assertThat(scripts.get(0)).doesNotContain("<script", "<!--");
        JsonNode data = JsonMapper.shared().readTree(scripts.get(0));
        assertThat(data.get(0).get("series").get(0).get("name").asString()).isEqualTo("</script><script>x()");
        assertThat(SCRIPT.matcher(html).replaceAll("")).doesNotContain("<script", "<!--");
    }

    /** Text reaches 4.5 : 1 and lines of charts reach 3 : 1, as WCAG 2.2 asks (1.4.3 and 1.4.11). */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void coloursHaveContrastInLightAndDark(int scheme) throws Exception {
        String css;
        try (InputStream in = Page.class.getResourceAsStream("/page/page.css")) {
            css = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        }
        List<MatchResult> roots =
                Pattern.compile("(?s):root \\{(.*?)}").matcher(css).results().toList();
        assertThat(roots).hasSize(2);
        Map<String, String> colours = new HashMap<>();
        Pattern.compile("--(\\w+): (#\\w{6});")
                .matcher(roots.get(scheme).group(1))
                .results()
                .forEach(match -> colours.put(match.group(1), match.group(2)));
        for (String text : List.of("ink", "faint", "link", "good", "half", "bad", "open")) {
            for (String ground : List.of("paper", "shade")) {
                assertThat(contrast(colours.get(text), colours.get(ground)))
                        .as(text + " on " + ground)
                        .isGreaterThanOrEqualTo(4.5);
            }
        }
        for (String line : List.of("s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "line")) {
            assertThat(contrast(colours.get(line), colours.get("paper")))
                    .as(line)
                    .isGreaterThanOrEqualTo(3);
        }
        assertThat(contrast("#000000", "#ffffff")).isCloseTo(21, within(1e-6));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aBrowserDrawsTheChartsAndMarksThoseThatAreNotDurable(boolean dark) throws Exception {
        Browser browser = Browser.find();
        Path page = directory.resolve("page.html");
        Files.writeString(page, html().replace("<head>", LISTEN).replace("</body>", LOOK));
        String document = browser.documentOf(page, directory, dark);
        String found = document.substring(document.indexOf("<pre id=\"look\">"));
        JsonNode look = JsonMapper.shared().readTree(found.substring(found.indexOf('{'), found.indexOf("</pre>")));

        assertThat(look.get("errors")).isEmpty();
        assertThat(look.get("loaded").asInt()).isZero();
        assertThat(look.get("paper").asString()).isEqualTo(dark ? "rgb(13, 17, 23)" : "rgb(255, 255, 255)");
        assertThat(look.get("ids").asInt()).isEqualTo(look.get("withId").asInt());
        assertThat(look.get("levels").toString()).startsWith("[\"H1\",\"H2\",\"H2\",\"H3\"");
        assertThat(look.get("rows").asBoolean()).isTrue();
        assertThat(look.get("links").asBoolean()).isTrue();
        assertThat(look.get("weakRows").asInt()).isEqualTo(5);
        assertThat(look.get("charts"))
                .hasSize(3)
                .allMatch(chart -> chart.get("drawn").asBoolean());
        JsonNode lines = look.get("charts").get(0);
        assertThat(lines.get("type").asString()).isEqualTo("line");
        assertThat(lines.get("labels").toString()).isEqualTo("[\"naive\",\"ring (not durable)\"]");
        assertThat(lines.get("data").toString()).isEqualTo("[[100,200,800],[300,500,900]]");
        assertThat(lines.get("dashed").toString()).isEqualTo("[false,true]");
        JsonNode bars = look.get("charts").get(1);
        assertThat(bars.get("type").asString()).isEqualTo("bar");
        assertThat(bars.get("hatched").toString()).isEqualTo("[true]");
        assertThat(bars.get("data").toString()).isEqualTo("[[100,700]]");
        JsonNode singles = look.get("charts").get(2);
        assertThat(singles.get("type").asString()).isEqualTo("bar");
        assertThat(singles.get("labels").toString()).isEqualTo("[\"ring (not durable)\",\"naive\"]");
        assertThat(singles.get("hatched").toString()).isEqualTo("[true,false]");
    }

    private String html() {
        TestRows rows = new TestRows();
        double[] naive = {100, 200, 800};
        double[] ring = {300, 500, 900};
        for (int i = 0; i < naive.length; i++) {
            int batch = (int) Math.pow(10, i);
            rows.add("batches", "sqlite", named("naive", batch), Figure.MESSAGES_PER_S, Map.of(), rounds(naive[i]));
            rows.add("batches", "sqlite", named("ring", batch), Figure.MESSAGES_PER_S, WEAK, rounds(ring[i]));
        }
        rows.add("durability", "sqlite", named("naive", 1), Figure.MESSAGES_PER_S, Map.of(), rounds(100));
        rows.add(
                "durability",
                "sqlite",
                Map.of(Dimension.DESIGN, "naive", Dimension.DURABILITY, "delayed"),
                Figure.MESSAGES_PER_S,
                Map.of(Figure.VERIFIED, "not durable", Figure.WHY_NOT, "synchronous=OFF"),
                rounds(700));
        Map<Dimension, String> small = Map.of(Dimension.DESIGN, "ring", Dimension.BODY_BYTES, "100");
        rows.add("bodies", "sqlite", small, Figure.MESSAGES_PER_S, WEAK, rounds(100));
        Map<Dimension, String> smallNaive = Map.of(Dimension.DESIGN, "naive", Dimension.BODY_BYTES, "100");
        rows.add("bodies", "sqlite", smallNaive, Figure.MESSAGES_PER_S, Map.of(), rounds(50));
        rows.write(directory, "commit abc, profile quick", "2 processors, <script>");
        return Page.html(Report.read(directory, engines -> "bin/ringtable bench profile=quick"));
    }

    private static double[] rounds(double value) {
        return new double[] {value, value * 1.01, value * 0.99, value, value};
    }

    private static Map<Dimension, String> named(String design, int batch) {
        return Map.of(Dimension.DESIGN, design, Dimension.BATCH, String.valueOf(batch));
    }

    /** The contrast of WCAG 2.2. */
    private static double contrast(String one, String other) {
        double lighter = Math.max(luminance(one), luminance(other));
        double darker = Math.min(luminance(one), luminance(other));
        return (lighter + 0.05) / (darker + 0.05);
    }

    private static double luminance(String colour) {
        int rgb = Integer.parseInt(colour.substring(1), 16);
        return 0.2126 * linear(rgb >> 16) + 0.7152 * linear(rgb >> 8 & 255) + 0.0722 * linear(rgb & 255);
    }

    private static double linear(int part) {
        double share = part / 255.0;
        return share <= 0.04045 ? share / 12.92 : Math.pow((share + 0.055) / 1.055, 2.4);
    }
}

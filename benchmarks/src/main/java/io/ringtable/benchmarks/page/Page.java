package io.ringtable.benchmarks.page;

import com.samskivert.mustache.Mustache;
import io.ringtable.benchmarks.claim.Claim;
import io.ringtable.benchmarks.claim.Verdict;
import io.ringtable.benchmarks.suite.Suite;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes a run as one HTML file that loads nothing else: styles, the library of the charts and the data are in it.
 * <p>
 * Thread: any.
 */
public final class Page {
    private static final String CHART_LIBRARY = "/META-INF/resources/webjars/chart.js/4.5.1/dist/chart.umd.js";

    private Page() {}

    /** Returns the page. */
    public static String html(Report report) {
        List<ChartData> charts = new ArrayList<>();
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("command", report.command());
        values.put("summary", summary(report.verdicts()));
        values.put("disk", report.disk().stream().toList());
        values.put("notDurable", report.notDurable().stream().toList());
        values.put("claims", claims(report.verdicts()));
        values.put(
                "suites",
                report.measuredSuites().stream()
                        .map(suite -> suite(report, suite, charts))
                        .toList());
        values.put("manifest", report.manifest());
        values.put("style", text("/page/page.css"));
        values.put("library", script(text(CHART_LIBRARY).replaceAll("(?m)^//# sourceMappingURL=.*$", "")));
        values.put("script", script(text("/page/charts.js")));
        values.put("data", script(JsonMapper.shared().writeValueAsString(charts)));
        return Mustache.compiler()
                .withLoader(name -> new StringReader(text("/" + name + ".mustache")))
                .compile(text("/page/page.mustache"))
                .execute(values);
    }

    private static String summary(List<Verdict> verdicts) {
        return Arrays.stream(Verdict.Outcome.values())
                .map(outcome -> verdicts.stream()
                                .filter(verdict -> verdict.outcome() == outcome)
                                .count()
                        + " " + outcome)
                .collect(Collectors.joining(", "));
    }

    // --- claims -------------------------------------------------------------------------------------------------

    private static List<Map<String, Object>> claims(List<Verdict> verdicts) {
        Map<Claim, List<Verdict>> byClaim = verdicts.stream()
                .collect(Collectors.groupingBy(Verdict::claim, LinkedHashMap::new, Collectors.toList()));
        return byClaim.entrySet().stream()
                .map(entry -> Map.of(
                        "claim",
                        entry.getKey(),
                        "height",
                        entry.getValue().size(),
                        "first",
                        verdict(entry.getValue().get(0)),
                        "others",
                        entry.getValue().stream().skip(1).map(Page::verdict).toList()))
                .toList();
    }

    private static Map<String, Object> verdict(Verdict verdict) {
        return Map.of(
                "engine", verdict.engine(),
                "measured", verdict.measured(),
                "outcome", verdict.outcome().toString(),
                "kind", verdict.outcome().name().toLowerCase(Locale.ROOT),
                "remarks", verdict.remarks(),
                "command", verdict.command());
    }

    // --- suites -------------------------------------------------------------------------------------------------

    private static Map<String, Object> suite(Report report, Suite suite, List<ChartData> charts) {
        return Map.of(
                "name",
                suite.name(),
                "question",
                suite.question(),
                "about",
                suite.about(),
                "engines",
                report.engines(suite).stream()
                        .map(engine -> engine(report, suite, engine, charts))
                        .toList());
    }

    private static Map<String, Object> engine(Report report, Suite suite, String engine, List<ChartData> charts) {
        List<ChartData> its = ChartData.of(suite, engine, report.rows(suite, engine));
        charts.addAll(its);
        return Map.of(
                "suite",
                suite.name(),
                "engine",
                engine,
                "charts",
                its.stream().map(Page::figure).toList(),
                "table",
                MedianTable.of(suite, report.rows(suite, engine)));
    }

    private static Map<String, Object> figure(ChartData chart) {
        return Map.of(
                "id",
                chart.id(),
                "title",
                chart.title(),
                "weak",
                !chart.notDurable().isEmpty(),
                "notDurable",
                String.join(", ", chart.notDurable()));
    }

    // --- files --------------------------------------------------------------------------------------------------

    /** Keeps text from ending the element that it stands in, or from beginning a comment in it. */
    private static String script(String text) {
        return text.replaceAll("(?i)<(?=/script|script|!--)", "\\\\u003c");
    }

    private static String text(String resource) {
        try (InputStream in = Page.class.getResourceAsStream(resource)) {
            return new String(Objects.requireNonNull(in, resource).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

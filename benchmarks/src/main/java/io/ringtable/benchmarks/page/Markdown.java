package io.ringtable.benchmarks.page;

import io.ringtable.benchmarks.claim.Claim;
import io.ringtable.benchmarks.claim.Verdict;
import io.ringtable.benchmarks.suite.Suite;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Writes a run as the tables of a document: the claims, then the medians of each suite and engine. Thread: any. */
public final class Markdown {
    private Markdown() {}

    /** Returns the tables, with the command before them and the manifest behind them. */
    public static String text(Report report) {
        StringBuilder text = new StringBuilder();
        text.append("`").append(report.command()).append("`\n\n");
        report.notDurable().ifPresent(mark -> text.append("**").append(mark).append("**\n\n"));
        report.disk().ifPresent(disk -> text.append(disk).append("\n\n"));
        text.append("## Claims\n\n");
        claims(text, report.verdicts());
        for (Suite suite : report.measuredSuites()) {
            text.append("\n## ").append(suite.question()).append('\n');
            if (!suite.about().isEmpty()) {
                text.append('\n').append(suite.about()).append('\n');
            }
            for (String engine : report.engines(suite)) {
                text.append("\n### ")
                        .append(suite.name())
                        .append(", ")
                        .append(engine)
                        .append("\n\n");
                MedianTable table = MedianTable.of(suite, report.rows(suite, engine));
                header(text, table.header());
                table.lines().forEach(line -> row(text, line.cells()));
            }
        }
        text.append("\n## Manifest\n\n```\n");
        report.manifest().forEach(line -> text.append(line).append('\n'));
        return text.append("```\n").toString();
    }

    /** Writes a row for each claim that a suite shows, with a column for each engine; then the others. */
    private static void claims(StringBuilder text, List<Verdict> verdicts) {
        List<String> engines = verdicts.stream()
                .map(Verdict::engine)
                .filter(engine -> !engine.equals(Verdict.NO_ENGINE))
                .distinct()
                .toList();
        header(text, concat(concat(List.of("claim", "source", "claimed"), engines), List.of("command")));
        claims(verdicts, true).forEach((claim, its) -> {
            List<String> found = engines.stream()
                    .map(engine -> its.stream()
                            .filter(verdict -> verdict.engine().equals(engine))
                            .map(Markdown::finding)
                            .findFirst()
                            .orElse(""))
                    .toList();
            row(text, concat(concat(said(claim), found), List.of("`" + claim.showing() + "`")));
        });
        Map<Claim, List<Verdict>> others = claims(verdicts, false);
        if (!others.isEmpty()) {
            text.append("\n## Claims that no suite shows\n\n");
            header(text, List.of("claim", "source", "claimed", "reason", "command"));
            others.keySet()
                    .forEach(claim ->
                            row(text, concat(said(claim), List.of(claim.whyNoSuite(), "`" + claim.showing() + "`"))));
        }
    }

    private static Map<Claim, List<Verdict>> claims(List<Verdict> verdicts, boolean tested) {
        return verdicts.stream()
                .filter(verdict -> verdict.claim().test().isPresent() == tested)
                .collect(Collectors.groupingBy(Verdict::claim, LinkedHashMap::new, Collectors.toList()));
    }

    private static List<String> said(Claim claim) {
        return List.of(claim.says(), claim.source(), claim.claimed());
    }

    private static String finding(Verdict verdict) {
        return Stream.concat(Stream.of(verdict.measured()), verdict.remarks().stream())
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining("; ", "**" + verdict.outcome() + "** ", ""))
                .strip();
    }

    private static List<String> concat(List<String> ones, List<String> others) {
        return Stream.concat(ones.stream(), others.stream()).toList();
    }

    private static void header(StringBuilder text, List<String> names) {
        row(text, names);
        text.append("|").append(":--|".repeat(names.size())).append('\n');
    }

    private static void row(StringBuilder text, List<String> cells) {
        text.append(cells.stream()
                        .map(cell -> cell.replace("|", "\\|"))
                        .collect(Collectors.joining(" | ", "| ", " |"))
                        .replace("|  |", "| |"))
                .append('\n');
    }
}

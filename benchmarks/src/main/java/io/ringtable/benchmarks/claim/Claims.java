package io.ringtable.benchmarks.claim;

import io.ringtable.benchmarks.suite.Case;
import io.ringtable.benchmarks.suite.Dimension;
import io.ringtable.benchmarks.suite.Figure;
import io.ringtable.benchmarks.suite.Profile;
import io.ringtable.benchmarks.suite.Suite;
import io.ringtable.benchmarks.suite.Suites;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/**
 * Reads the claims from YAML. A claim names values of dimensions; they must fit one case of its suite, in each profile.
 * <p>
 * Thread: any. Failure: an {@link IllegalArgumentException} names claim, field and value.
 */
public final class Claims {
    private static final Set<String> SAID = Set.of("says", "source", "claimed");
    private static final Set<String> TESTED =
            Set.of("suite", "figure", "of", "against", "at_least", "at_most", "matches", "engines", "processors");
    private static final Set<String> NOT_TESTED = Set.of("not_testable", "elsewhere", "command");

    private Claims() {}

    /** Returns the claims of this build, in their order. */
    public static List<Claim> ofTheBuild() {
        try (InputStream in = Claims.class.getResourceAsStream("/claims.yaml")) {
            byte[] bytes = Objects.requireNonNull(in, "claims.yaml").readAllBytes();
            return read(new String(bytes, StandardCharsets.UTF_8), Suites.ofTheBuild());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<Claim> read(String yaml, List<Suite> suites) {
        LoaderOptions options = new LoaderOptions();
        options.setAllowDuplicateKeys(false);
        Map<String, Object> claims = map("claims", new Yaml(new SafeConstructor(options)).load(yaml));
        return claims.entrySet().stream()
                .map(entry -> claim(entry.getKey(), map(entry.getKey(), entry.getValue()), suites))
                .toList();
    }

    private static Claim claim(String id, Map<String, Object> fields, List<Suite> suites) {
        boolean elsewhere = fields.containsKey("elsewhere");
        boolean tested = !elsewhere && !fields.containsKey("not_testable");
        for (String field : fields.keySet()) {
            if (!SAID.contains(field) && !(tested ? TESTED : NOT_TESTED).contains(field)) {
                throw new IllegalArgumentException(
                        id + ": '" + field + "' is none of " + SAID + " and " + (tested ? TESTED : NOT_TESTED));
            }
        }
        String says = text(id, "says", fields);
        String source = text(id, "source", fields);
        String claimed = text(id, "claimed", fields);
        if (!tested) {
            return new Claim(
                    id,
                    says,
                    source,
                    claimed,
                    List.of(),
                    text(id, "command", fields),
                    Optional.empty(),
                    elsewhere ? "" : text(id, "not_testable", fields),
                    elsewhere ? text(id, "elsewhere", fields) : "");
        }
        Suite suite = suite(id, text(id, "suite", fields), suites);
        return new Claim(
                id,
                says,
                source,
                claimed,
                engines(id, fields, suite),
                "",
                Optional.of(test(id, fields, suite)),
                "",
                "");
    }

    private static Suite suite(String id, String name, List<Suite> suites) {
        return suites.stream()
                .filter(suite -> suite.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(id + ".suite: '" + name + "' is none of "
                        + suites.stream().map(Suite::name).toList()));
    }

    private static List<String> engines(String id, Map<String, Object> fields, Suite suite) {
        if (!fields.containsKey("engines")) {
            return suite.engines();
        }
        if (!(fields.get("engines") instanceof List<?> named)) {
            throw new IllegalArgumentException(id + ".engines: '" + fields.get("engines") + "' is no list");
        }
        List<String> engines = named.stream().map(String::valueOf).toList();
        if (engines.isEmpty() || !suite.engines().containsAll(engines)) {
            throw new IllegalArgumentException(
                    id + ".engines: " + engines + " are not all among " + suite.engines() + " of " + suite.name());
        }
        return engines;
    }

    private static Claim.Test test(String id, Map<String, Object> fields, Suite suite) {
        String figure = text(id, "figure", fields);
        List<String> columns =
                Arrays.stream(Figure.values()).map(Figure::column).toList();
        for (String column : figure.split(" / ", -1)) {
            if (!columns.contains(column)) {
                throw new IllegalArgumentException(id + ".figure: '" + column + "' is none of " + columns);
            }
        }
        Claim.Expectation expectation = expectation(id, fields);
        boolean compares = fields.containsKey("against");
        if (compares && expectation instanceof Claim.Word) {
            throw new IllegalArgumentException(id + ".against: a word has no ratio to another");
        }
        return new Claim.Test(
                suite.name(),
                figure,
                values(id + ".of", fields.get("of"), suite),
                compares ? values(id + ".against", fields.get("against"), suite) : Map.of(),
                expectation,
                (int) number(id, "processors", fields, 1));
    }

    private static Claim.Expectation expectation(String id, Map<String, Object> fields) {
        boolean isRange = fields.containsKey("at_least") || fields.containsKey("at_most");
        if (isRange == fields.containsKey("matches")) {
            throw new IllegalArgumentException(id + ": either at_least or at_most, or matches, says what is expected");
        }
        if (isRange) {
            double atLeast = number(id, "at_least", fields, 0);
            double atMost = number(id, "at_most", fields, Double.POSITIVE_INFINITY);
            if (atLeast > atMost) {
                throw new IllegalArgumentException(id + ": at_least=" + atLeast + " > at_most=" + atMost);
            }
            return new Claim.Range(atLeast, atMost);
        }
        try {
            return new Claim.Word(Pattern.compile(text(id, "matches", fields)));
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException(id + ".matches: " + e.getMessage(), e);
        }
    }

    private static Map<Dimension, String> values(String where, Object value, Suite suite) {
        Map<Dimension, String> values = new EnumMap<>(Dimension.class);
        map(where, value).forEach((column, wanted) -> values.put(dimension(where, column), String.valueOf(wanted)));
        for (Profile profile : List.of(Profile.QUICK, Profile.STANDARD, Profile.FULL)) { // smoke judges nothing
            List<Case> cases = suite.cases().get(profile).stream()
                    .filter(one -> fits(one, values))
                    .toList();
            if (cases.size() != 1) {
                throw new IllegalArgumentException(where + ": " + value + " fits " + cases.size() + " cases of "
                        + suite.name() + " in profile " + profile + ", and must fit one: " + cases);
            }
        }
        return values;
    }

    /** Returns whether a case has these values, whatever its others are. */
    static boolean fits(Case one, Map<Dimension, String> values) {
        return values.entrySet().stream()
                .allMatch(entry -> one.text(entry.getKey()).equals(entry.getValue()));
    }

    private static Dimension dimension(String where, String column) {
        return Arrays.stream(Dimension.values())
                .filter(dimension -> dimension.column().equals(column))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(where + ": '" + column + "' is none of "
                        + Arrays.stream(Dimension.values())
                                .map(Dimension::column)
                                .collect(Collectors.joining(", "))));
    }

    private static String text(String id, String field, Map<String, Object> fields) {
        Object value = fields.get(field);
        if (value == null || String.valueOf(value).isBlank()) {
            throw new IllegalArgumentException(id + "." + field + " is missing");
        }
        return String.valueOf(value).strip();
    }

    private static double number(String id, String field, Map<String, Object> fields, double otherwise) {
        Object value = fields.getOrDefault(field, otherwise);
        if (value instanceof Number number && number.doubleValue() >= 0) {
            return number.doubleValue();
        }
        throw new IllegalArgumentException(id + "." + field + ": '" + value + "' is no number from 0 on");
    }

    @SuppressWarnings("unchecked") // keys of a YAML map that are no strings fail where they are used
    private static Map<String, Object> map(String where, Object value) {
        if (value instanceof Map<?, ?> map) {
            return (Map<String, Object>) map;
        }
        throw new IllegalArgumentException(where + ": '" + value + "' is no map");
    }
}

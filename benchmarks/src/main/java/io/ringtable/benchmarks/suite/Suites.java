package io.ringtable.benchmarks.suite;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/**
 * Reads the suites from YAML. A suite has blocks of values; the cases of a block are the product of its values. A value
 * of one profile replaces that of all.
 * <p>
 * Thread: any. Failure: an {@link IllegalArgumentException} names suite, field and value.
 */
public final class Suites {
    private static final Set<String> FIELDS = Set.of("question", "about", "engines", "blocks", "charts");
    private static final Set<String> PROFILES = Set.of("quick", "standard", "full");

    private Suites() {}

    /** Returns the suites of this build, in their order. */
    public static List<Suite> ofTheBuild() {
        try (InputStream in = Suites.class.getResourceAsStream("/suites.yaml")) {
            return read(new String(Objects.requireNonNull(in, "suites.yaml").readAllBytes(), "UTF-8"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<Suite> read(String yaml) {
        Map<String, Object> suites = map("suites", new Yaml(new SafeConstructor(new LoaderOptions())).load(yaml));
        return suites.entrySet().stream()
                .map(entry -> suite(entry.getKey(), map(entry.getKey(), entry.getValue())))
                .toList();
    }

    private static Suite suite(String name, Map<String, Object> fields) {
        refuseUnknown(name, fields.keySet(), FIELDS);
        Map<Profile, List<Case>> cases = new EnumMap<>(Profile.class);
        for (Profile profile : Profile.values()) {
            Set<Case> distinct = new LinkedHashSet<>(); // blocks may share a case that both compare with
            for (Object block : list(name + ".blocks", fields.get("blocks"))) {
                distinct.addAll(product(name, map(name + ".blocks", block), profile));
            }
            cases.put(profile, profile.choose(distinct));
        }
        List<Suite.Chart> charts = list(name + ".charts", fields.getOrDefault("charts", List.of())).stream()
                .map(chart -> chart(name, map(name + ".charts", chart)))
                .toList();
        return new Suite(
                name,
                text(name + ".question", fields.get("question")),
                text(name + ".about", fields.getOrDefault("about", "")),
                strings(name + ".engines", fields.get("engines")),
                cases,
                charts);
    }

    private static Suite.Chart chart(String suite, Map<String, Object> fields) {
        refuseUnknown(suite + ".charts", fields.keySet(), Set.of("x", "y", "series"));
        return new Suite.Chart(
                strings(suite + ".charts.x", fields.get("x")),
                text(suite + ".charts.y", fields.get("y")),
                text(suite + ".charts.series", fields.getOrDefault("series", "design")));
    }

    private static List<Case> product(String suite, Map<String, Object> block, Profile profile) {
        Map<String, Object> values = new LinkedHashMap<>(block);
        values.keySet().removeAll(PROFILES);
        Object own = block.get(profile.cases().toString());
        if (own != null) {
            values.putAll(map(suite + "." + profile, own));
        }
        List<Map<Dimension, String>> cases = List.of(Map.of());
        for (Map.Entry<String, Object> entry : values.entrySet()) {
            cases = times(cases, dimension(suite, entry.getKey()), strings(suite + "." + entry, entry.getValue()));
        }
        return cases.stream().map(Case::new).map(profile::fit).toList();
    }

    private static List<Map<Dimension, String>> times(
            List<Map<Dimension, String>> cases, Dimension dimension, List<String> values) {
        List<Map<Dimension, String>> product = new ArrayList<>();
        for (Map<Dimension, String> one : cases) {
            for (String value : values) {
                Map<Dimension, String> more = new EnumMap<>(Dimension.class);
                more.putAll(one);
                more.put(dimension, value);
                product.add(more);
            }
        }
        return product;
    }

    private static Dimension dimension(String suite, String column) {
        try {
            return Dimension.of(column);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(suite + ": " + e.getMessage(), e);
        }
    }

    private static void refuseUnknown(String where, Set<String> found, Set<String> known) {
        for (String field : found) {
            if (!known.contains(field)) {
                throw new IllegalArgumentException(where + ": '" + field + "' is none of " + known);
            }
        }
    }

    @SuppressWarnings("unchecked") // keys of a YAML map that are no strings fail where they are used
    private static Map<String, Object> map(String where, Object value) {
        if (value instanceof Map<?, ?> map) {
            return (Map<String, Object>) map;
        }
        throw new IllegalArgumentException(where + ": '" + value + "' is no map");
    }

    private static List<?> list(String where, Object value) {
        if (value instanceof List<?> list) {
            return list;
        }
        throw new IllegalArgumentException(where + ": '" + value + "' is no list");
    }

    /** Returns the values of a list, or the one that stands alone. */
    private static List<String> strings(String where, Object value) {
        List<?> values = value instanceof List<?> list ? list : List.of(text(where, value));
        return values.stream().map(one -> text(where, one)).toList();
    }

    private static String text(String where, Object value) {
        if (value == null) {
            throw new IllegalArgumentException(where + " is missing");
        }
        return String.valueOf(value);
    }
}

package io.ringtable.benchmarks.design;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** Reads {@code designs.yaml}. Thread: any. */
public final class Designs {
    private static final String SOURCE = "source";

    private final Map<String, Design> designs = new LinkedHashMap<>();

    private Designs(Map<String, Map<String, Object>> yaml) {
        yaml.forEach((name, fields) -> designs.put(name, design(name, fields)));
    }

    /** Returns the designs of this build. */
    public static Designs ofTheBuild() {
        try (InputStream in = Designs.class.getResourceAsStream("/designs.yaml")) {
            return new Designs(new Yaml(new SafeConstructor(new LoaderOptions()))
                    .load(Objects.requireNonNull(in, "designs.yaml")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Design design(String name, Map<String, Object> fields) {
        Map<String, List<String>> parts = new LinkedHashMap<>();
        Map<String, String> whyNot = new LinkedHashMap<>();
        fields.forEach((engine, value) -> {
            if (value instanceof List<?> names) {
                parts.put(engine, names.stream().map(String::valueOf).toList());
            } else if (value instanceof Map<?, ?> reason) {
                whyNot.put(engine, String.valueOf(reason.get("not")));
            }
        });
        return new Design(name, String.valueOf(fields.get(SOURCE)), parts, whyNot);
    }

    public List<Design> all() {
        return new ArrayList<>(designs.values());
    }

    /** Returns whether one of the designs has the name. */
    public boolean has(String name) {
        return designs.containsKey(name);
    }

    /**
     * Returns the design of a name.
     *
     * @throws IllegalArgumentException if none has it
     */
    public Design of(String name) {
        Design design = designs.get(name);
        if (design == null) {
            throw new IllegalArgumentException("design=" + name + " is none of " + designs.keySet());
        }
        return design;
    }
}

package io.ringtable.benchmarks.design;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Names a queue of the articles, and the parts of SQL that it is made of.
 *
 * @param name as in {@code designs.yaml}
 * @param source article and section
 * @param parts for each engine that can run it, in the order of their creation
 * @param whyNot for each engine that cannot
 */
public record Design(String name, String source, Map<String, List<String>> parts, Map<String, String> whyNot) {
    private static final String AGED = "aged";

    /** Returns why an engine has no such queue; empty if it has. */
    public Optional<String> whyNot(String engine) {
        return Optional.ofNullable(whyNot.get(engine));
    }

    /** Returns whether many messages come and go before the first measurement; the part says what is left to age. */
    boolean isAged(String engine) {
        return parts(engine).contains(AGED);
    }

    /**
     * Returns the parts for an engine.
     *
     * @throws IllegalArgumentException if it has none
     */
    List<String> parts(String engine) {
        whyNot(engine).ifPresent(reason -> {
            throw new IllegalArgumentException("design=" + name + " engine=" + engine + ": " + reason);
        });
        return parts.get(engine);
    }
}

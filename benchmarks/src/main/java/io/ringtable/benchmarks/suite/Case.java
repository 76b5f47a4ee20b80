package io.ringtable.benchmarks.suite;

import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Names what one run measures: a value for each dimension.
 *
 * @param values of every dimension
 */
public record Case(Map<Dimension, String> values) {

    public Case {
        Map<Dimension, String> all = new EnumMap<>(Dimension.class);
        for (Dimension dimension : Dimension.values()) {
            all.put(dimension, values.getOrDefault(dimension, dimension.usual()));
        }
        if (all.get(Dimension.DESIGN).isEmpty()) {
            throw new IllegalArgumentException("a case without a design: " + values);
        }
        values = Map.copyOf(all);
    }

    /** Returns the case with numbers so small that it takes no time. */
    Case small() {
        Map<Dimension, String> small = new EnumMap<>(values);
        small.replaceAll(Dimension::small);
        return new Case(small);
    }

    public String design() {
        return text(Dimension.DESIGN);
    }

    public String text(Dimension dimension) {
        return values.get(dimension);
    }

    /**
     * Returns the value of a dimension that counts.
     *
     * @throws IllegalArgumentException if the value is no number
     */
    public int number(Dimension dimension) {
        try {
            return Integer.parseInt(text(dimension));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(dimension.column() + "=" + text(dimension) + " is no number", e);
        }
    }

    public boolean isDurable() {
        return text(Dimension.DURABILITY).equals(Dimension.DURABILITY.usual());
    }

    /** Returns the design and those values that are not the usual ones, for a person. */
    @Override
    public String toString() {
        return design()
                + new EnumMap<>(values)
                        .entrySet().stream()
                                .filter(entry -> entry.getKey() != Dimension.DESIGN)
                                .filter(entry ->
                                        !entry.getValue().equals(entry.getKey().usual()))
                                .map(entry -> entry.getKey().column() + "=" + entry.getValue())
                                .collect(Collectors.joining(" ", " ", ""))
                                .stripTrailing();
    }
}

package io.ringtable.benchmarks.option;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads {@code name=value} arguments and refuses unknown names. Thread: any. */
public final class Options {
    private final Map<String, String> values = new HashMap<>();

    public Options(String[] args, String... known) {
        for (String arg : args) {
            int equals = arg.indexOf('=');
            String name = equals < 0 ? arg : arg.substring(0, equals);
            if (equals < 0 || !Set.of(known).contains(name)) {
                throw new IllegalArgumentException("'" + arg + "' is none of " + String.join("=…, ", known) + "=…");
            }
            values.put(name, arg.substring(equals + 1));
        }
    }

    public String text(String name, String otherwise) {
        return values.getOrDefault(name, otherwise);
    }

    public int number(String name, int otherwise) {
        return Integer.parseInt(text(name, String.valueOf(otherwise)));
    }

    public double decimal(String name, double otherwise) {
        return Double.parseDouble(text(name, String.valueOf(otherwise)));
    }

    public List<String> list(String name, String otherwise) {
        return List.of(text(name, otherwise).split(","));
    }
}

package io.ringtable.broker.store;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * Reads {@code plans/<engine>.properties}: for each statement what its plan must contain, divided by "; ", or one of
 * the words here.
 */
final class ExpectedPlans {
    /**
     * Marks a statement that reads nothing of ours: it begins or ends a transaction, asks the server, or writes the row
     * whose key it gives.
     */
    static final String NONE = "none";

    /** A block of the server's own language, which it explains no plan of; it asks the catalog alone. */
    static final String BLOCK = "block";

    /** A function; the plans inside are among the hot ones. */
    static final String FUNCTION = "function";

    /** Precedes a table that is read from one end to the other, on purpose: at a start, or a table that stays small. */
    static final String WHOLE = "whole ";

    private ExpectedPlans() {}

    static Map<String, String> of(String engine) throws IOException {
        Properties file = new Properties();
        try (InputStream in = ExpectedPlans.class.getResourceAsStream("/plans/" + engine + ".properties")) {
            file.load(in);
        }
        Map<String, String> expected = new TreeMap<>();
        file.stringPropertyNames().forEach(name -> expected.put(name, file.getProperty(name)));
        return expected;
    }
}

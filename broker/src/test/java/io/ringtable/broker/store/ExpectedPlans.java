package io.ringtable.broker.store;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * Reads {@code plans/<engine>.properties}, which says for each statement what its plan must contain, divided by "; ",
 * or has one of the words here.
 */
final class ExpectedPlans {
    /** Reads no table: the statement begins or ends a transaction, asks the server, or writes the row of its key. */
    static final String NONE = "none";

    /** Calls a function; the plans inside are among the hot ones. */
    static final String FUNCTION = "function";

    /** Reads the whole table whose name follows, on purpose: at a start, or because the table stays small. */
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

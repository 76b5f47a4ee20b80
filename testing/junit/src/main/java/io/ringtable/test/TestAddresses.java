package io.ringtable.test;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Makes names of addresses that one test has to itself, so that tests on one broker may run in parallel. Each test gets
 * an object of its own; its addresses go when it ends.
 */
public final class TestAddresses {
    private static final int SUFFIX_CHARACTERS = 8;

    private final String suffix = "-" + UUID.randomUUID().toString().substring(0, SUFFIX_CHARACTERS);
    private final List<String> names = new CopyOnWriteArrayList<>();

    TestAddresses() {}

    /** Returns an address such as {@code queue://orders-1f2e3d4c}: the same for the same name within the test. */
    public String queue(String name) {
        return "queue://" + apart(name);
    }

    /** Returns an address such as {@code topic://prices-1f2e3d4c}: the same for the same name within the test. */
    public String topic(String name) {
        return "topic://" + apart(name);
    }

    private String apart(String name) {
        String apart = name + suffix;
        if (!names.contains(apart)) {
            names.add(apart);
        }
        return apart;
    }

    /** Returns what the test has asked for, without kinds. */
    List<String> names() {
        return names;
    }
}

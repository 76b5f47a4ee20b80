package io.ringtable.acceptance.cluster;

import io.ringtable.acceptance.freeze.Account;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Collects for how long each publisher waited for an outcome, by the kind of the event. Thread: the test's. */
final class Pauses {
    private static final double MILLIS = 1e6; // ns

    private final Map<Blow, List<Long>> nanos = new EnumMap<>(Blow.class);
    private final Map<Blow, Integer> events = new EnumMap<>(Blow.class);
    private final Map<Blow, String> worst = new EnumMap<>(Blow.class);

    /** Takes the longest pause of each publisher in the event that has just ended. */
    void take(Blow blow, Account account) {
        events.merge(blow, 1, Integer::sum);
        List<Long> all = nanos.computeIfAbsent(blow, none -> new ArrayList<>());
        account.longestPausesNanos().forEach((producer, pause) -> {
            if (all.stream().allMatch(other -> other < pause)) {
                worst.put(blow, producer);
            }
            all.add(pause);
        });
    }

    /** For people. */
    String table() {
        StringBuilder text = new StringBuilder(
                String.format("%-10s %8s %16s %16s   %s%n", "event", "count", "median ms", "worst ms", "of"));
        nanos.forEach((blow, all) -> {
            Collections.sort(all);
            text.append(String.format(
                    "%-10s %8d %,16.0f %,16.0f   %s%n",
                    blow,
                    events.get(blow),
                    all.get(all.size() / 2) / MILLIS,
                    all.get(all.size() - 1) / MILLIS,
                    worst.get(blow)));
        });
        return text.toString();
    }
}

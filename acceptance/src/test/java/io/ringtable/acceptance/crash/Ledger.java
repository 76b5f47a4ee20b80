package io.ringtable.acceptance.crash;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Records what the clients of a run were told, and what follows from it. Each transaction of the publisher has a
 * number, and puts one message with that number into each queue.
 * <p>
 * Thread: any; one lock.
 */
final class Ledger {
    /** Says how a transaction of the publisher ended. */
    enum Sent {
        COMMITTED,
        ROLLED_BACK,
        UNKNOWN
    }

    private static final int NAMED_MAX = 20;

    private final TreeMap<Integer, Sent> sent = new TreeMap<>();
    private final Map<String, Queue> queues = new HashMap<>();
    private final List<String> violations = new ArrayList<>();

    /** Holds the messages received from one queue. */
    private static final class Queue {
        final Set<Integer> seen = new HashSet<>(); // ever delivered
        final Set<Integer> done = new HashSet<>(); // its consumer's commit was answered
        final Set<Integer> open = new HashSet<>(); // its consumer's commit was not: it comes again or it does not
        final Map<Integer, TreeSet<Integer>> doneByGroup = new HashMap<>();
    }

    private Queue queue(String name) {
        return queues.computeIfAbsent(name, each -> new Queue());
    }

    synchronized void sent(int number, Sent outcome) {
        sent.put(number, outcome);
    }

    /** @param group its messages have to come in order; negative = of none */
    synchronized void received(String name, int number, int group, boolean redelivered) {
        Queue queue = queue(name);
        if (queue.done.contains(number)) {
            violations.add(name + ": " + number + " came again after its consumer's commit was answered");
        }
        if (!queue.seen.add(number) && !redelivered) {
            violations.add(name + ": " + number + " came again and is not flagged");
        }
        if (group >= 0) {
            TreeSet<Integer> before = queue.doneByGroup.getOrDefault(group, new TreeSet<>());
            if (!before.isEmpty() && before.last() > number) {
                violations.add(name + ": " + number + " of group " + group + " came after " + before.last());
            }
        }
    }

    synchronized void tooEarly(String name, int number, long byMs) {
        violations.add(name + ": " + number + " came " + byMs + " ms before its time");
    }

    /** The consumer's transaction with these was committed, or nobody knows. */
    synchronized void settled(String name, List<Integer> numbers, int groups, boolean known) {
        Queue queue = queue(name);
        for (int number : numbers) {
            if (known) {
                queue.open.remove(number);
                queue.done.add(number);
                if (groups > 0) {
                    queue.doneByGroup
                            .computeIfAbsent(number % groups, group -> new TreeSet<>())
                            .add(number);
                }
            } else {
                queue.open.add(number);
            }
        }
    }

    /** Whether everything that has to come has come. */
    synchronized boolean isComplete(String name) {
        Queue queue = queue(name);
        return sent.entrySet().stream()
                .filter(each -> each.getValue() == Sent.COMMITTED)
                .allMatch(each -> queue.done.contains(each.getKey()) || queue.open.contains(each.getKey()));
    }

    synchronized int committed() {
        return (int) sent.values().stream().filter(Sent.COMMITTED::equals).count();
    }

    /** After everything was drained. */
    synchronized List<String> violations(List<String> names) {
        List<String> all = new ArrayList<>(violations);
        sent.forEach((number, outcome) -> {
            Set<String> where = new TreeSet<>();
            names.stream().filter(name -> queue(name).seen.contains(number)).forEach(where::add);
            switch (outcome) {
                case COMMITTED -> {
                    if (where.size() < names.size()) {
                        all.add("transaction " + number + " was committed and is only in " + where);
                    }
                }
                case ROLLED_BACK -> {
                    if (!where.isEmpty()) {
                        all.add("transaction " + number + " was rolled back and is in " + where);
                    }
                }
                case UNKNOWN -> {
                    if (!where.isEmpty() && where.size() < names.size()) {
                        all.add("half of transaction " + number + ": it is only in " + where);
                    }
                }
            }
        });
        return all.size() > NAMED_MAX ? all.subList(0, NAMED_MAX) : all;
    }

    synchronized String summary() {
        StringBuilder text = new StringBuilder();
        for (Sent outcome : Sent.values()) {
            text.append(String.format(
                    "%-36s %12d%n",
                    "transactions " + outcome.name().toLowerCase(java.util.Locale.ROOT),
                    sent.values().stream().filter(outcome::equals).count()));
        }
        new TreeMap<>(queues)
                .forEach((name, queue) -> text.append(String.format(
                        "%-36s %12d%n%-36s %12d%n",
                        name + ": consumed", queue.done.size(), name + ": commit unanswered", queue.open.size())));
        return text.append(String.format("%-36s %12d%n", "violations", violations.size()))
                .toString();
    }
}

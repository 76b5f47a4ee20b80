package io.ringtable.broker.dispatch;

import io.ringtable.broker.catalog.Address;
import io.ringtable.broker.commit.Committed;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Asks a topic's volatile subscriptions with selectors which messages they want: a bounded part in each turn of the dispatcher, the
 * topics one after another. So a topic with thousands of selectors delays its own messages and nobody else's. While much waits here,
 * its publishers are held, as they are while messages wait for consumers.
 * <p>
 * Thread: dispatcher.
 */
final class Matching {
    /** Questions in one turn. */
    private static final int QUESTIONS_MAX = 1_024;
    /** A turn also ends when the clock has gone on by so much: a single question may be a long one. */
    private static final long TURN_MS = 2;
    /** A topic is held when it has this share of the memory for messages waiting here. */
    private static final int MEMORY_SHARE = 16;

    private final MemoryBudget budget;
    private final Predicate<SubscriptionState> isThere;
    private final BiConsumer<SubscriptionState, Committed> wanted;
    private final LongSupplier clockMs;
    private final Map<Long, Line> lines = new LinkedHashMap<>(); // by address; none is empty
    private final List<Runnable> afterwards = new ArrayList<>();

    /** A message, and who is still to be asked. */
    private static final class Waiting {
        private final Committed message;
        private final List<SubscriptionState> readers;
        private int next;

        Waiting(Committed message, List<SubscriptionState> readers) {
            this.message = message;
            this.readers = readers;
        }

        int weight() {
            return message.message().bytes() + Ready.OVERHEAD_BYTES;
        }
    }

    /** The messages of one topic, in order. */
    private static final class Line {
        private final Address address;
        private final ArrayDeque<Waiting> messages = new ArrayDeque<>();
        private long bytes;
        private boolean holding;

        Line(Address address) {
            this.address = address;
        }
    }

    /**
     * @param isThere whether a subscription has not ended meanwhile
     * @param wanted gets what a subscription wants
     * @param clockMs ms since the epoch
     */
    Matching(
            MemoryBudget budget,
            Predicate<SubscriptionState> isThere,
            BiConsumer<SubscriptionState, Committed> wanted,
            LongSupplier clockMs) {
        this.budget = budget;
        this.isThere = isThere;
        this.wanted = wanted;
        this.clockMs = clockMs;
    }

    /** @param readers who are to be asked, as they are now: nobody changes the list */
    void add(Committed message, List<SubscriptionState> readers) {
        Address address = message.message().address();
        Line line = lines.computeIfAbsent(address.id(), id -> new Line(address));
        Waiting waiting = new Waiting(message, readers);
        line.messages.add(waiting);
        line.bytes += waiting.weight();
        budget.take(waiting.weight());
        if (!line.holding && line.bytes > budget.max() / MEMORY_SHARE) {
            line.holding = true;
            address.quota().hold();
        }
    }

    /** @return 1 if there was something to ask */
    int doWork() {
        if (lines.isEmpty()) {
            return 0;
        }
        long until = clockMs.getAsLong() + TURN_MS;
        int questions = 0;
        while (!lines.isEmpty() && questions < QUESTIONS_MAX && clockMs.getAsLong() < until) {
            Line first = lines.values().iterator().next();
            questions += ask(first, QUESTIONS_MAX - questions, until);
            lines.remove(first.address.id());
            if (!first.messages.isEmpty()) {
                lines.put(first.address.id(), first); // the others come next
            } else {
                resume(first);
            }
        }
        if (lines.isEmpty()) {
            afterwards.forEach(Runnable::run);
            afterwards.clear();
        }
        return 1;
    }

    private int ask(Line line, int most, long until) {
        Waiting first = line.messages.peek();
        int questions = 0;
        while (first.next < first.readers.size() && questions < most && clockMs.getAsLong() < until) {
            SubscriptionState reader = first.readers.get(first.next++);
            questions++;
            if (isThere.test(reader) && reader.subscription().wants(first.message.message())) {
                wanted.accept(reader, first.message);
            }
        }
        if (first.next == first.readers.size()) {
            remove(line);
        }
        return questions;
    }

    private void remove(Line line) {
        int weight = line.messages.remove().weight();
        line.bytes -= weight;
        budget.give(weight);
    }

    private static void resume(Line line) {
        if (line.holding) {
            line.holding = false;
            line.address.quota().resume();
        }
    }

    /** The topic is gone. */
    void forget(Address address) {
        Line line = lines.remove(address.id());
        if (line != null) {
            while (!line.messages.isEmpty()) {
                remove(line);
            }
            resume(line);
        }
    }

    /** Runs once nothing that waits now does so any more. */
    void afterPresent(Runnable action) {
        if (lines.isEmpty()) {
            action.run();
        } else {
            afterwards.add(action);
        }
    }
}

package io.ringtable.broker.commit;

import io.ringtable.broker.agent.Slice;
import io.ringtable.broker.catalog.AddressEntry;
import io.ringtable.broker.catalog.Catalog;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionEntry;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.work.Mailbox;
import io.ringtable.broker.work.Work;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Asks stored subscriptions with selectors which messages they want, before the messages are claimed: a bounded part in each turn of
 * the committer, the works one after another. So a topic with thousands of selectors delays its own messages and nobody else's flush.
 * While much waits here for a topic, its publishers are held.
 * <p>
 * Messages of one connection to one address keep their order; a work that concerns several addresses waits for its place in all of
 * them. Subscriptions that come meanwhile are asked as well.
 * <p>
 * Thread: committer.
 */
final class SelectorFilter {
    /** In one turn: a subscription that is asked is a step, a message of many KB more. */
    private static final int STEPS_MAX = 16_384;

    private static final long TURN_MS = 2;
    /** A topic is held when so many bytes of its messages wait. */
    private static final long BYTES_MAX = 4 << 20;

    /** Where order is kept. */
    private record Place(Mailbox connection, long addressId) {}

    /** What waits for one address. */
    private static final class Load {
        private long messages;
        private long bytes;
        private boolean holds;
    }

    /** What is asked about one message. */
    private static final class Question {
        private final Message message;
        private List<SubscriptionEntry> asked = List.of(); // as they were when it was asked last
        private int next; // of them
        private long[] unwanted; // bits of those who do not want it, by group; null = nobody has been asked

        Question(Message message) {
            this.message = message;
        }

        /** Subscriptions that were asked stay so; those that have come since have higher ids. */
        void turnTo(List<SubscriptionEntry> selective) {
            if (asked != selective) {
                long last = next == 0 ? Long.MIN_VALUE : id(asked.get(next - 1));
                int place = 0;
                while (place < selective.size() && id(selective.get(place)) <= last) {
                    place++;
                }
                asked = selective;
                next = place;
            }
        }

        private static long id(SubscriptionEntry entry) {
            return entry.subscription().id();
        }

        boolean isAnswered() {
            return next == asked.size();
        }

        void askNext() {
            Subscription subscription = asked.get(next++).subscription();
            int group = subscription.group();
            if (unwanted == null || unwanted.length <= group) {
                unwanted = unwanted == null ? new long[group + 1] : Arrays.copyOf(unwanted, group + 1);
            }
            if (subscription.wants(message)) {
                unwanted[group] &= ~subscription.mask(); // one that is gone may have had the bit
            } else {
                unwanted[group] |= subscription.mask();
            }
        }
    }

    /** A work whose messages subscriptions are being asked about. */
    private static final class Waiting {
        private final Work work;
        private final Set<Place> places = new LinkedHashSet<>();
        private final List<Question> questions;
        private int behindOthers; // in so many of its places
        private int next; // question: those before it are answered
        private long turn; // in which the first of them was asked last

        Waiting(Work work) {
            this.work = work;
            this.questions = work.messages().stream().map(Question::new).toList();
        }

        FilteredWork selected() {
            List<long[]> unwanted = new ArrayList<>(questions.size()); // with nulls
            questions.forEach(question -> unwanted.add(question.unwanted));
            return new FilteredWork(work, unwanted);
        }
    }

    private final Catalog catalog;
    private final Slice slice;
    private final Map<Place, Deque<Waiting>> lines = new HashMap<>(); // none is empty
    private final Map<Address, Load> loads = new HashMap<>(); // none is empty
    private final Deque<Waiting> first =
            new ArrayDeque<>(); // the first ones in all of their lines, in the order of their turns
    private Waiting done; // of them; null = none yet
    private long turn;

    /** @param clockMs ms since the epoch */
    SelectorFilter(Catalog catalog, LongSupplier clockMs) {
        this.catalog = catalog;
        this.slice = new Slice(STEPS_MAX, TURN_MS, clockMs);
    }

    boolean isEmpty() {
        return lines.isEmpty();
    }

    /** Whether somebody is to be asked about it, or about what was published before it. */
    boolean concerns(Work work) {
        for (Message message : work.messages()) {
            AddressEntry entry = catalog.entry(message.address().id());
            if (entry != null && entry.isSelective() || !lines.isEmpty() && lines.containsKey(place(work, message))) {
                return true;
            }
        }
        return false;
    }

    private static Place place(Work work, Message message) {
        return new Place(work.completion().mailbox(), message.address().id());
    }

    void add(Work work) {
        Waiting waiting = new Waiting(work);
        for (Message message : work.messages()) {
            waiting.places.add(place(work, message));
            Load load = loads.computeIfAbsent(message.address(), address -> new Load());
            load.messages++;
            load.bytes += message.bytes();
            if (load.bytes > BYTES_MAX && !load.holds) {
                load.holds = true;
                message.address().quota().hold();
            }
        }
        for (Place place : waiting.places) {
            Deque<Waiting> line = lines.computeIfAbsent(place, each -> new ArrayDeque<>());
            waiting.behindOthers += line.isEmpty() ? 0 : 1;
            line.add(waiting);
        }
        if (waiting.behindOthers == 0) {
            first.add(waiting);
        }
    }

    /** A new turn of the committer: the catalogue may have changed since the last one, and does not during this one. */
    void begin() {
        turn++;
        slice.begin();
    }

    /** The next work about which everybody has been asked; null if there is none before this turn's part is over. */
    FilteredWork peek() {
        if (done == null || !isAnswered(done)) {
            done = null;
            while (done == null && !first.isEmpty() && !slice.isOver()) {
                Waiting each = first.remove();
                first.add(each);
                done = isAnswered(each) ? each : null;
            }
        }
        return done == null ? null : done.selected();
    }

    /** What was seen goes into a flush. */
    void take() {
        first.removeLastOccurrence(done);
        leave(done);
        done = null;
    }

    private void leave(Waiting waiting) {
        for (Place place : waiting.places) {
            Deque<Waiting> line = lines.get(place);
            line.remove();
            if (line.isEmpty()) {
                lines.remove(place);
            } else if (--line.peek().behindOthers == 0) {
                first.add(line.peek());
            }
        }
        for (Message message : waiting.work.messages()) {
            Load load = loads.get(message.address());
            load.bytes -= message.bytes();
            if (--load.messages == 0) {
                loads.remove(message.address());
                if (load.holds) {
                    message.address().quota().resume();
                }
            }
        }
    }

    /** Goes on with it, by one message that somebody has to be asked about. @return whether everybody has answered */
    private boolean isAnswered(Waiting waiting) {
        boolean asked = false;
        while (!asked) {
            if (waiting.next == waiting.questions.size()) {
                if (waiting.turn == turn) {
                    return true;
                }
                waiting.next = 0; // once more, for those who have come since
            }
            if (waiting.next == 0) {
                waiting.turn = turn;
            }
            Question question = waiting.questions.get(waiting.next);
            AddressEntry entry = catalog.entry(question.message.address().id());
            question.turnTo(entry == null ? List.of() : entry.selective());
            for (; !question.isAnswered(); asked = true) {
                if (slice.isOver()) {
                    return false;
                }
                slice.stepThrough(question.message.bytes());
                question.askNext();
            }
            waiting.next++;
        }
        return waiting.next == waiting.questions.size() && waiting.turn == turn;
    }

    /** The committer has ended. */
    void refuseAll(Refusal refusal) {
        while (!first.isEmpty()) {
            Waiting each = first.remove();
            leave(each);
            DisruptorMailbox.refuse(each.work, refusal);
        }
    }
}

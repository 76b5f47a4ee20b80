package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.catalog.Producer;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.DuplicateId;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.shard.FaultyStore.Fault;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.StoreFailure.Kind;
import io.ringtable.broker.store.StoredMessage;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Deduplication;
import io.ringtable.broker.work.Mailbox;
import io.ringtable.broker.work.Work;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Lets publishers send again whatever was not answered, while the store fails before and after its commits, and
 * processes die. Applications restart with their producer ids. Seeded; the failure names seed and step.
 * <p>
 * Invariants checked:
 * <ul>
 *   <li>what was accepted is stored exactly once, and nothing is stored twice;
 *   <li>what was refused for good is not stored;
 *   <li>messages of a producer are stored in the order of their numbers;
 *   <li>a producer that attaches is told the number of the last one that is stored, which stays the last one.
 * </ul>
 */
class StoredOnceSimulationTest {
    private static final int STEPS = 300;
    private static final String POISON = "poison";

    @TempDir
    Path directory;

    private Random random;
    private SteppedShard shard;
    private boolean faults;
    private final List<Publisher> publishers = new ArrayList<>();
    private final Set<String> accepted = new HashSet<>();
    private final Set<String> refused = new HashSet<>();
    private final Deque<String> unansweredIds = new ArrayDeque<>();
    private int ids;

    static LongStream seeds() {
        String seed = System.getProperty("simulation.seed");
        return seed == null ? LongStream.range(0, 12) : LongStream.of(Long.parseLong(seed));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void whatIsAcceptedIsStoredExactlyOnce(long seed) {
        random = new Random(seed);
        shard = new SteppedShard(directory).open();
        shard.queue("q");
        shard.store.plan = this::fault;
        for (int i = 0; i < 3; i++) {
            publishers.add(new Publisher("p" + i));
        }
        int step = 0;
        try {
            while (step++ < STEPS) {
                step();
            }
            faults = false;
            publishers.forEach(publisher -> publisher.reconnect(false));
            while (publishers.stream().anyMatch(publisher -> !publisher.isQuiet()) || !unansweredIds.isEmpty()) {
                publishers.forEach(Publisher::send);
                sendIds();
                shard.run();
            }
            check();
        } catch (RuntimeException | Error failure) {
            throw new AssertionError("seed " + seed + ", step " + step + ": " + failure.getMessage(), failure);
        } finally {
            shard.close();
        }
    }

    private void step() {
        faults = random.nextInt(3) == 0;
        try {
            for (Publisher publisher : publishers) {
                if (random.nextInt(12) == 0) {
                    publisher.reconnect(random.nextInt(4) == 0);
                }
                publisher.publish(random.nextInt(12));
                publisher.send();
            }
            for (int more = random.nextInt(4); more > 0; more--) {
                unansweredIds.add("id-" + ids++);
            }
            if (random.nextInt(3) == 0) {
                sendIds();
            }
            for (int turns = random.nextInt(5); turns > 0; turns--) {
                shard.commitTurn();
            }
        } catch (FaultyStore.Crash crash) {
            restart();
        }
        faults = false;
        if (random.nextInt(40) == 0) {
            restart();
        }
    }

    private Fault fault(String verb, Flush flush) {
        if (flush != null && isPoisoned(flush)) {
            return Fault.before(Kind.REFUSED);
        }
        if (!faults || random.nextInt(8) != 0) {
            return null;
        }
        return switch (random.nextInt(8)) {
            case 0 -> Fault.before(Kind.OUTCOME_UNKNOWN);
            case 1, 2 -> Fault.after(Kind.OUTCOME_UNKNOWN);
            case 3 -> Fault.before(Kind.RETRYABLE);
            case 4, 5 -> Fault.before(Kind.NOT_WRITABLE);
            case 6 -> Fault.crash(false);
            default -> Fault.crash(true);
        };
    }

    private static boolean isPoisoned(Flush flush) {
        return flush.claims().stream()
                .map(StoredMessage::body)
                .anyMatch(body -> new String(body, StandardCharsets.UTF_8).startsWith(POISON));
    }

    private void restart() {
        shard.crashAndRestart();
        shard.store.plan = this::fault;
        faults = false;
        publishers.forEach(publisher -> publisher.reconnect(false));
    }

    // ---- ids

    /** Sends messages without an answer again, and some of them twice. */
    private void sendIds() {
        for (String id : List.copyOf(unansweredIds)) {
            for (int times = 1 + random.nextInt(2); times > 0; times--) {
                submit(Deduplication.ids(List.of(new DuplicateId(SteppedShard.bytes(id)))), List.of(id), new Answer() {
                    @Override
                    public void accepted() {
                        accepted.add(id);
                        unansweredIds.remove(id);
                    }

                    @Override
                    public void refused(Refusal why) {
                        // It is sent again.
                    }
                });
            }
        }
    }

    private boolean submit(Deduplication once, List<String> texts, Completion answer) {
        Address queue = shard.address("q");
        List<Message> messages = new ArrayList<>();
        for (String text : texts) {
            Message message = shard.message(queue, SteppedShard.bytes(text));
            assertThat(queue.quota().tryReserve(1, message.bytes())).isTrue();
            messages.add(message);
        }
        boolean taken = shard.doors.committer().trySubmit(new Work(messages, List.of(), once, answer));
        if (!taken) {
            messages.forEach(message -> queue.quota().release(1, message.bytes()));
        }
        return taken;
    }

    private abstract static class Answer implements Completion {
        @Override
        public Mailbox mailbox() {
            return Mailbox.NONE;
        }
    }

    // ---- numbers

    /** Does what the SDK does, in small: numbers messages, sends them, and sends them again. */
    private final class Publisher {
        private final String name;
        private Producer producer; // null = the broker has not answered since its application restarted
        private long lastGiven;
        private long lastSent;
        private long lastStored;
        private boolean refusedSince;
        private boolean outOfOrder;
        private int underWay;
        private int connection; // answers of earlier ones are lost
        private final Deque<Long> pending = new ArrayDeque<>();
        private final Deque<Long> sent = new ArrayDeque<>();
        private final Set<Long> poisoned = new HashSet<>();

        Publisher(String name) {
            this.name = name;
            reconnect(true);
        }

        /**
         * @param restart its application has restarted: it knows nothing but its id, and what its messages are by their
         *     number
         */
        void reconnect(boolean restart) {
            boolean opens = restart || producer == null;
            long incarnation = opens ? 0 : producer.incarnation();
            connection++;
            producer = opens ? null : producer;
            try {
                producer = shard.attend(shard.address("q"), name, incarnation, () -> {});
            } catch (CompletionException notWritable) {
                assertThat(opens).as(notWritable.toString()).isTrue(); // it will try again
                return;
            }
            assertThat(producer.lastNumber()).isGreaterThanOrEqualTo(lastStored);
            underWay = 0;
            outOfOrder = false;
            refusedSince = false;
            lastStored = producer.lastNumber();
            lastSent = lastStored;
            while (!sent.isEmpty()) {
                pending.addFirst(sent.removeLast());
            }
            if (opens) {
                pending.clear();
                lastGiven = lastStored;
            }
            while (!pending.isEmpty() && pending.peekFirst() <= lastStored) {
                accepted.add(text(pending.removeFirst()));
            }
        }

        private String text(long number) {
            return (poisoned.contains(number) ? POISON : "m") + " " + name + " " + number;
        }

        void publish(int count) {
            for (int i = 0; producer != null && i < count; i++) {
                pending.addLast(++lastGiven);
                if (random.nextInt(60) == 0) {
                    poisoned.add(lastGiven);
                }
            }
        }

        boolean isQuiet() {
            return producer != null && pending.isEmpty() && sent.isEmpty();
        }

        void send() {
            while (producer != null && !pending.isEmpty() && !outOfOrder) {
                List<Long> numbers = new ArrayList<>();
                numbers.add(pending.removeFirst());
                for (int more = random.nextInt(5);
                        more > 0 && !pending.isEmpty() && pending.peekFirst() == last(numbers) + 1;
                        more--) {
                    numbers.add(pending.removeFirst());
                }
                sent.addAll(numbers);
                underWay++;
                Deduplication once = new Deduplication(producer, numbers.get(0), lastSent, List.of());
                boolean taken = submit(
                        once, numbers.stream().map(this::text).toList(), new Transferred(this, numbers, connection));
                assertThat(taken).isTrue();
                lastSent = last(numbers);
            }
        }

        private static long last(List<Long> numbers) {
            return numbers.get(numbers.size() - 1);
        }

        void answered(List<Long> numbers, Refusal refusal) {
            underWay--;
            if (refusal == null) {
                numbers.forEach(number -> accepted.add(text(number)));
                sent.removeAll(numbers);
                lastStored = last(numbers);
            } else if (refusal.reason() == Refusal.Reason.OUT_OF_ORDER) {
                outOfOrder = true;
            } else {
                numbers.forEach(number -> refused.add(text(number)));
                sent.removeAll(numbers);
                refusedSince = true;
            }
            if (underWay == 0 && (outOfOrder || refusedSince)) {
                assertThat(refusedSince)
                        .as("out of order, and none before was refused")
                        .isTrue();
                while (!sent.isEmpty()) {
                    pending.addFirst(sent.removeLast());
                }
                lastSent = lastStored;
                outOfOrder = false;
                refusedSince = false;
            }
        }
    }

    private static final class Transferred extends Answer {
        private final Publisher publisher;
        private final List<Long> numbers;
        private final int connection;

        Transferred(Publisher publisher, List<Long> numbers, int connection) {
            this.publisher = publisher;
            this.numbers = numbers;
            this.connection = connection;
        }

        @Override
        public void accepted() {
            if (connection == publisher.connection) {
                publisher.answered(numbers, null);
            }
        }

        @Override
        public void refused(Refusal why) {
            if (connection == publisher.connection && !why.code().equals("RT-0000")) {
                publisher.answered(numbers, why);
            }
        }
    }

    // ---- what must hold

    private void check() {
        Reader reader = shard.attach(shard.reader(shard.address("q")), Integer.MAX_VALUE);
        shard.run();
        List<String> stored = reader.texts();
        assertThat(stored).as("nothing twice").doesNotHaveDuplicates();
        Set<String> lost = new HashSet<>(accepted);
        lost.removeAll(new HashSet<>(stored)); // as a list it would be read for each text
        assertThat(lost).as("accepted and not stored").isEmpty();
        assertThat(stored).as("nothing poisoned").noneMatch(text -> text.startsWith(POISON));
        for (Publisher publisher : publishers) {
            List<Long> numbers = stored.stream()
                    .filter(text -> text.startsWith("m " + publisher.name + " "))
                    .map(text -> Long.parseLong(text.substring(text.lastIndexOf(' ') + 1)))
                    .toList();
            assertThat(numbers).as("in order of their numbers").isSorted();
            long last = numbers.isEmpty() ? 0 : numbers.get(numbers.size() - 1);
            publisher.reconnect(false);
            assertThat(publisher.producer.lastNumber()).isEqualTo(last);
        }
        assertThat(accepted.size()).isGreaterThan(500);
        // An application that restarts may publish again, under the same number, what was refused before.
        Set<String> refusedForGood = new HashSet<>(refused);
        refusedForGood.removeAll(accepted);
        refusedForGood.retainAll(new HashSet<>(stored));
        assertThat(refusedForGood).as("refused for good and stored").isEmpty();
    }
}

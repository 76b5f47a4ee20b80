package io.ringtable.broker.home;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.consumer.Consumer;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import io.ringtable.broker.dispatch.consumer.Enlisted;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.AddressQuota;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Mailbox;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The credit of one consumer over the parts of a queue. Each part obeys its credit as a dispatcher does.
 * <p>Longer than others, because it plays the consumer and the dispatchers.
 */
class WholeQueueTest {
    private static final int PARTS = 4;

    private final Reader reader = new Reader();
    private final List<PartOfQueue> parts = new ArrayList<>();
    private final WholeQueue whole = new WholeQueue("letters", reader, false);

    WholeQueueTest() {
        for (int number = 0; number < PARTS; number++) {
            addPart();
        }
    }

    private PartOfQueue addPart() {
        return addPart(whole);
    }

    private PartOfQueue addPart(WholeQueue to) {
        PartOfQueue part = new PartOfQueue(parts.size());
        parts.add(part);
        to.add(part.source());
        return part;
    }

    @Test
    void oneCreditGetsTheOnlyMessageWhicheverPartHasIt() {
        credit(1, false);
        add(PARTS - 1, 1);
        assertThat(reader.got).hasSize(1);
    }

    @Test
    void theConsumerGetsNoMoreThanItsCredit() {
        parts.forEach(part -> part.add(5));
        run();
        credit(3, false);
        assertThat(reader.got).hasSize(3);
        assertThat(held()).as("messages of a part wait for credit").isLessThanOrEqualTo(PARTS);
        credit(20, false);
        assertThat(reader.got).hasSize(20);
    }

    @Test
    void aPartWithEverythingUsesAllTheCredit() {
        add(1, 100);
        credit(100, false);
        assertThat(reader.got).hasSize(100);
    }

    @Test
    void withoutCreditNothingIsAskedFor() {
        parts.forEach(part -> part.add(1));
        run();
        credit(0, false);
        assertThat(reader.got).isEmpty();
        assertThat(held()).isZero();
    }

    @Test
    void aDrainGetsWhatAllPartsHaveAndVoidsTheRest() {
        add(0, 2);
        add(3, 1);
        credit(10, true);
        assertThat(reader.got).hasSize(3);
        assertThat(reader.drained).containsExactly(10L);

        add(2, 1);
        assertThat(reader.got).as("after the drain there is no credit").hasSize(3);
        assertThat(held()).isZero();
        credit(11, false);
        assertThat(reader.got).hasSize(4);
    }

    @Test
    void aDrainThatUsesUpTheCreditGivesTheOthersBack() {
        credit(2, false);
        parts.forEach(part -> part.add(1));
        run();
        assertThat(reader.got).hasSize(2);
        credit(2, true);
        assertThat(reader.drained).containsExactly(2L);
        assertThat(held()).as("what the consumer has no credit for").isZero();
        assertThat(parts.stream().mapToInt(part -> part.ready.size()).sum()).isEqualTo(2);
    }

    @Test
    void aDrainThatIsTakenBackLeavesNoPartWithoutCredit() {
        whole.credit(10, true);
        credit(20, false);
        add(0, 5);
        assertThat(reader.got).hasSize(5);
        assertThat(reader.drained).isEmpty();
    }

    @Test
    void aRecallIsAnsweredOnceAllPartsHaveGotBackWhatWaited() {
        credit(2, false);
        parts.forEach(part -> part.add(1));
        run();
        whole.recall();
        add(0, 1);
        assertThat(reader.recalls).isEqualTo(1);
        assertThat(held()).isZero();
        assertThat(reader.got).as("no part has credit").hasSize(2);
        credit(PARTS + 1, false);
        assertThat(reader.got).hasSize(PARTS + 1);
    }

    @Test
    void aRecallIsAnsweredOnceWhereNoPartHasToWait() {
        parts.forEach(part -> part.answersAtOnce = true);
        whole.recall();
        assertThat(reader.recalls).isEqualTo(1);
        new WholeQueue("letters", reader, false).recall();
        assertThat(reader.recalls).as("without any part").isEqualTo(2);
    }

    @Test
    void aPartThatIsMadeLaterIsServedFromTheCreditThatIsThere() {
        credit(5, false);
        PartOfQueue later = addPart();
        later.add(3);
        run();
        assertThat(reader.got).hasSize(3);
        whole.add(later.source());
        assertThat(later.attached).isEqualTo(1);
    }

    @Test
    void aPartThatIsMadeAfterTheEndIsNotAttached() {
        whole.detach(List.of(), false);
        assertThat(addPart().attached).isZero();
    }

    @Test
    void theEventLoopIsWokenForWhatWaitedForCredit() {
        credit(1, false);
        parts.forEach(part -> part.add(1));
        run();
        int woken = reader.woken;
        whole.credit(PARTS, false);
        assertThat(reader.woken).isGreaterThan(woken);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void everyMessageComesOnceWithinTheCredit(long seed) {
        Random random = new Random(seed);
        int added = 0;
        long limit = 0;
        for (int step = 0; step < 2_000; step++) {
            switch (random.nextInt(5)) {
                case 0 -> {
                    int more = random.nextInt(5);
                    parts.get(random.nextInt(PARTS)).add(more);
                    added += more;
                }
                case 1 -> {
                    limit = Math.max(limit, reader.consumed()) + random.nextInt(8);
                    whole.credit(limit, false);
                }
                case 2 -> {
                    limit = Math.max(limit, reader.consumed()) + random.nextInt(3);
                    int drains = reader.drained.size();
                    credit(limit, true);
                    assertThat(reader.drained).hasSize(drains + 1);
                    reader.voidUpTo(limit);
                }
                case 3 -> {
                    int recalls = reader.recalls;
                    whole.recall();
                    run();
                    assertThat(reader.recalls).isEqualTo(recalls + 1);
                    assertThat(held()).isZero();
                    limit = reader.consumed();
                }
                default -> parts.get(random.nextInt(PARTS)).turn();
            }
            assertThat(reader.consumed()).isLessThanOrEqualTo(limit);
            assertThat(held()).isLessThanOrEqualTo(PARTS);
        }
        credit(Math.max(limit, reader.consumed()) + added, false);
        assertThat(reader.got)
                .extracting(delivery -> delivery.subscription().id() + "." + delivery.sequence())
                .hasSize(added)
                .doesNotHaveDuplicates();
    }

    @Test
    void theEndOfOnePartEndsTheConsumerOnce() {
        parts.get(0).consumer.ended(new Refusal(Refusal.Reason.NOT_FOUND, "RT-2010", "deleted"));
        parts.get(1).consumer.ended(new Refusal(Refusal.Reason.NOT_FOUND, "RT-2010", "deleted"));
        assertThat(reader.ends).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 100})
    void aBrowserIsShownOnePartAfterAnotherWhateverItsCredit(int credit) {
        WholeQueue browsed = new WholeQueue("letters", reader, true);
        parts.clear();
        for (int number = 0; number < PARTS; number++) {
            addPart(browsed);
            parts.get(number).add(number == 1 ? 0 : 5);
        }
        for (long limit = credit; limit < 30 + credit; limit += credit) {
            browsed.credit(limit, false);
            run();
        }

        assertThat(reader.got)
                .extracting(delivery -> ShardIds.shardOf(delivery.subscription().id()))
                .hasSize(5 * (PARTS - 1))
                .isSorted();
        browsed.credit(40 + credit, true);
        run();
        assertThat(reader.drained).containsExactly(40L + credit);
    }

    private void credit(long limit, boolean drain) {
        whole.credit(limit, drain);
        run();
    }

    private void add(int part, int messages) {
        parts.get(part).add(messages);
        run();
    }

    /** Lets all parts take turns until nobody has anything to do. */
    private void run() {
        boolean worked = true;
        while (worked) {
            worked = false;
            for (PartOfQueue part : parts) {
                worked |= part.turn();
            }
        }
    }

    private int held() {
        return parts.stream().mapToInt(part -> part.out).sum() - reader.got.size();
    }

    /** Counts what it gets. */
    private static final class Reader implements Consumer {
        private final List<Delivery> got = new ArrayList<>();
        private final List<Long> drained = new ArrayList<>();
        private final List<Refusal> ends = new ArrayList<>();
        private long voided;
        private int recalls; // that were answered
        private int woken;

        long consumed() {
            return got.size() + voided;
        }

        void voidUpTo(long limit) {
            voided = limit - got.size();
        }

        @Override
        public Selector selector() {
            return null;
        }

        @Override
        public void deliver(Delivery delivery) {
            got.add(delivery);
        }

        @Override
        public void drained(long limit) {
            drained.add(limit);
        }

        @Override
        public void recalled() {
            recalls++;
        }

        @Override
        public void ended(Refusal refusal) {
            ends.add(refusal);
        }

        @Override
        public Mailbox mailbox() {
            return () -> woken++;
        }
    }

    /** Serves one part within its credit, at once. */
    private static final class PartOfQueue implements DispatcherMailbox {
        @Override
        public CompletionStage<Long> owedForLaterOnly(Subscription subscription) {
            throw new AssertionError("no consumer asks");
        }

        private final Subscription subscription;
        private final Queue<Long> ready = new ArrayDeque<>();
        private final Queue<Runnable> commands = new ArrayDeque<>();
        private Consumer consumer;
        private long limit;
        private long given;
        private long next;
        private int out; // delivered, and not given back
        private int attached;
        private boolean answersAtOnce; // a recall

        PartOfQueue(int shard) {
            long id = ShardIds.first(shard) + 1;
            Address address = new Address(id, "letters", AddressKind.QUEUE, new AddressQuota(1_000, 1_000_000));
            subscription = new Subscription(id + 1, address, "", "", 0, 0, 0, null, false, true);
        }

        WholeQueue.Source source() {
            return new WholeQueue.Source(this, subscription);
        }

        void add(int messages) {
            for (int i = 0; i < messages; i++) {
                ready.add(next++);
            }
            serve();
        }

        void serve() {
            while (given < limit && !ready.isEmpty()) {
                given++;
                out++;
                Message message = new Message(subscription.address(), 0, 4, 0, 0, new byte[1], 0);
                consumer.deliver(new Delivery(message, subscription, ready.remove(), 0, 1, 1, 0, false));
            }
        }

        @Override
        public void attach(Consumer its, Subscription reads) {
            attached++;
            consumer = its;
        }

        @Override
        public void browse(Consumer its, Subscription reads) {
            consumer = its;
        }

        @Override
        public void credit(Consumer its, long newLimit, boolean drain) {
            commands.add(() -> {
                limit = newLimit;
                serve();
                if (drain) {
                    given = Math.max(given, newLimit);
                    its.drained(newLimit);
                }
            });
        }

        @Override
        public void recall(Consumer its) {
            if (answersAtOnce) {
                its.recalled();
            } else {
                commands.add(() -> {
                    limit = given;
                    its.recalled();
                });
            }
        }

        /** Takes one turn. @return false if there was nothing to do */
        boolean turn() {
            Runnable command = commands.poll();
            if (command != null) {
                command.run();
            }
            return command != null;
        }

        @Override
        public void released(Consumer its, Delivery delivery) {
            out--;
            ready.add(delivery.sequence());
        }

        @Override
        public void accepted(Consumer its, Delivery delivery, Completion completion) {
            throw new AssertionError("the link speaks to its own dispatcher");
        }

        @Override
        public Enlisted enlist(Consumer its, Delivery delivery) {
            throw new AssertionError("the link speaks to its own dispatcher");
        }

        @Override
        public void committed(Enlisted enlisted) {
            throw new AssertionError("the link speaks to its own dispatcher");
        }

        @Override
        public void rolledBack(Enlisted enlisted, boolean failed) {
            throw new AssertionError("the link speaks to its own dispatcher");
        }

        @Override
        public void modified(Consumer its, Delivery delivery, boolean failed, boolean notHere) {
            throw new AssertionError("the link speaks to its own dispatcher");
        }

        @Override
        public void rejected(Consumer its, Delivery delivery, String reason) {
            throw new AssertionError("the link speaks to its own dispatcher");
        }

        @Override
        public void detach(Consumer its, List<Delivery> unsettled, boolean lost) {
            limit = given;
        }
    }
}

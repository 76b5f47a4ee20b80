package io.ringtable.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.agent.Doorbell;
import io.ringtable.broker.agent.RetriedAgent;
import io.ringtable.broker.catalog.AddressCreation;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.dispatch.policy.AddressPolicy;
import io.ringtable.broker.engine.FaultyStore.Fault;
import io.ringtable.broker.engine.SteppedEngine.Outcome;
import io.ringtable.broker.engine.SteppedEngine.Reader;
import io.ringtable.broker.inbox.InboxCollector;
import io.ringtable.broker.inbox.InboxEncoder;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.InboxMessage;
import io.ringtable.broker.message.InboxSettlement;
import io.ringtable.broker.message.InboxSettlement.Place;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.StoreFailure.Kind;
import io.ringtable.broker.store.StoredMessage;
import io.ringtable.broker.work.CommitMonitor;
import io.ringtable.wire.Encoded;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What applications committed reaches the ring once and in order, whatever the store does; stepped by hand. */
class InboxCollectorTest {
    private static final long INTERVAL_MS = 5;

    @TempDir
    Path directory;

    private SteppedEngine engine;
    private Address queue;
    private InboxCollector collector;
    private long nanos;
    private long ids;

    @BeforeEach
    void open() {
        engine = new SteppedEngine(directory).open();
        queue = engine.queue("q");
        begin();
    }

    @AfterEach
    void close() {
        engine.close();
    }

    private void begin() {
        engine.store.placing = this::placed;
        collector = new InboxCollector(
                TestSettings.of("ringtable.inbox.probe-interval", INTERVAL_MS + "ms")
                        .inbox(),
                engine.store,
                engine.doors,
                new PlainEncoder(),
                "DLQ",
                CommitMonitor.NONE,
                new Doorbell(),
                () -> engine.now,
                () -> nanos);
    }

    @Test
    void bringsWhatIsCommittedIntoTheRingInOrder() {
        Reader reader = engine.attach(engine.reader(queue), 100);
        IntStream.range(0, 50).forEach(i -> lay("q", Integer.toString(i)));
        collect();
        assertThat(reader.texts())
                .containsExactlyElementsOf(
                        IntStream.range(0, 50).mapToObj(Integer::toString).toList());
        assertThat(engine.store.inbox).isEmpty();
    }

    @Test
    void aRowThatTheEncoderFailsAtIsADeadLetterAndTheOthersComeThrough() {
        lay("q", "a");
        lay("q", "exception");
        lay("q", "overflow");
        lay("q", "b");
        collect();
        assertThat(received(queue)).containsExactly("a", "b");
        assertThat(received(engine.queue("DLQ")))
                .hasSize(2)
                .allSatisfy(letter -> assertThat(letter).contains("RT-2314"));
        assertThat(engine.store.inbox).isEmpty();
    }

    @Test
    void goesOnAfterAnErrorWithNothingLostOrTwiceAndNoPlaceKept() {
        PlainEncoder.errorsLeft = 3;
        RetriedAgent retried = new RetriedAgent(collector, () -> nanos);
        lay("q", "a");
        lay("q", "error");
        for (int i = 0; i < 2_000; i++) {
            nanos += 1_000_000;
            engine.run();
            retried.doWork();
            assertThat(PlainEncoder.errorsLeft > 0 && i > 300 && retried.trouble() == null)
                    .isFalse();
        }
        assertThat(retried.trouble()).contains("RT-2310", "inbox-collector", "3 times", "OutOfMemoryError");
        assertThat(received(queue)).containsExactly("a", "error");
        assertThat(queue.quota().messages()).isEqualTo(2);
        nanos += TimeUnit.MINUTES.toNanos(2);
        retried.doWork();
        assertThat(retried.trouble()).isNull();
    }

    @Test
    void moreThanAPortionComesInPortions() {
        int many = 2_500;
        IntStream.range(0, many).forEach(i -> lay("q", Integer.toString(i)));
        Reader reader = engine.attach(engine.reader(queue), many);
        collect();
        assertThat(reader.texts())
                .containsExactlyElementsOf(
                        IntStream.range(0, many).mapToObj(Integer::toString).toList());
    }

    @Test
    void aLowerIdThatBecomesVisibleLaterIsNotPassedOver() {
        ids = 10;
        lay("q", "high");
        collect();
        ids = 3;
        lay("q", "low");
        collect();
        assertThat(received(queue)).containsExactly("high", "low");
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"OUTCOME_UNKNOWN", "UNAVAILABLE", "RETRYABLE"})
    void aFlushThatDidNotHappenIsMadeAgain(Kind kind) {
        failOnce("flush", Fault.before(kind));
        lay("q", "a");
        collect();
        assertThat(received(queue)).containsExactly("a");
        assertThat(engine.store.inbox).isEmpty();
    }

    @Test
    void aFlushWhoseAnswerWasLostIsNotMadeTwice() {
        failOnce("flush", Fault.after(Kind.OUTCOME_UNKNOWN));
        lay("q", "a");
        collect();
        assertThat(engine.state.ring().next()).isEqualTo(1);
        assertThat(received(queue)).containsExactly("a");
    }

    @Test
    void aLostAnswerToWhatNobodyOwesStopsNothing() {
        engine.topic("t");
        failOnce("flush", Fault.after(Kind.OUTCOME_UNKNOWN));
        lay("t", "nobody reads it");
        collect();
        lay("q", "a");
        collect();
        assertThat(engine.store.inbox).isEmpty();
        assertThat(received(queue)).containsExactly("a");
    }

    @Test
    void whatAnApplicationHasSettledDoesNotComeAgain() {
        engine.publish(queue, 0, 3);
        Reader first = engine.attach(engine.reader(queue), 100);
        engine.run();
        settle(1);
        collect();
        first.detach(true);
        assertThat(received(queue)).containsExactly("0", "2");
        assertThat(engine.store.inbox).isEmpty();
    }

    @Test
    void norIfItsConsumerReleasesItAfterwardsOrSaysThatItFailed() {
        engine.publish(queue, 0, 3);
        Reader first = engine.attach(engine.reader(queue), 100);
        engine.run();
        settle(0);
        settle(1);
        collect();
        first.release(first.deliveries.get(0));
        first.modify(first.deliveries.get(1), true, false);
        engine.run();
        assertThat(first.texts()).containsExactly("0", "1", "2");
        engine.crashAndRestart();
        begin();
        assertThat(received(queue)).containsExactly("2");
    }

    @Test
    void norIfItWentBackBefore() {
        engine.publish(queue, 0, 3);
        Reader first = engine.attach(engine.reader(queue), 3);
        engine.run();
        first.detach(true); // to the store
        settle(0);
        collect();
        Reader second = engine.attach(engine.reader(queue), 1);
        engine.run();
        assertThat(second.texts()).containsExactly("1");
        second.credit(0).modify(second.deliveries.get(0), true, false); // to memory
        settle(1);
        collect();
        second.credit(100);
        engine.run();
        assertThat(second.texts()).containsExactly("1", "2");
    }

    @Test
    void isSettledOnceWhenItsConsumerAcceptsItAsWell() {
        engine.publish(queue, 0, 4);
        Reader reader = engine.attach(engine.reader(queue), 100);
        engine.run();
        Outcome before = reader.accept(reader.deliveries.get(0));
        settle(0);
        settle(1);
        collect();
        Outcome after = reader.accept(reader.deliveries.get(1));
        settle(2);
        step(); // handed in, not yet flushed
        Outcome beside = reader.accept(reader.deliveries.get(2));
        collect();
        assertThat(List.of(before, after, beside)).allMatch(outcome -> outcome.accepted);
        assertThat(engine.entry(engine.reader(queue)).owedInRing()).isEqualTo(1);
        assertThat(queue.quota().messages()).isEqualTo(1);
        assertThat(engine.store.inbox).isEmpty();
    }

    @Test
    void isFoundWhereItHasMovedSinceItWasRead() {
        int capacity = engine.state.ring().geometry().capacity();
        engine.publish(queue, 0, capacity);
        long gate = engine.state.ring().gate();
        Message[] more = IntStream.range(0, capacity / 2)
                .mapToObj(i -> engine.message(queue, SteppedEngine.bytes("more " + i)))
                .toArray(Message[]::new);
        engine.submit(more); // more than there is room for: the gate has to be raised
        settle(gate);
        step(); // read while it lies in the ring, handed in behind them
        engine.run();
        assertThat(engine.state.ring().gate()).isGreaterThan(gate);
        assertThat(engine.store.inbox).hasSize(1);
        collect();
        assertThat(engine.store.inbox).isEmpty();
        Reader reader = engine.attach(engine.reader(queue), 2 * capacity);
        engine.run();
        assertThat(reader.deliveries).hasSize(capacity + more.length - 1).noneMatch(each -> each.sequence() == gate);
        assertThat(queue.quota().messages()).isEqualTo(capacity + more.length - 1);
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"OUTCOME_UNKNOWN", "UNAVAILABLE", "RETRYABLE"})
    void aSettlementWhoseFlushFailedIsMadeAgain(Kind kind) {
        engine.publish(queue, 0, 2);
        failOnce("flush", kind == Kind.OUTCOME_UNKNOWN ? Fault.after(kind) : Fault.before(kind));
        settle(0);
        collect();
        assertThat(engine.store.inbox).isEmpty();
        engine.crashAndRestart();
        begin();
        assertThat(received(engine.address("q"))).containsExactly("1");
    }

    @Test
    void aSettlementOfWhatWasNeverOwedIsDroppedAndChangesNothing() {
        engine.queue("other");
        engine.publish(engine.address("other"), 0, 1); // sequence 0 is not the reader's
        settle(0);
        settle(1_000_000);
        engine.store.inbox.put(ids, new InboxSettlement(ids++, 1, 4711, 0, Place.NOWHERE, 0, 0, 0, 0));
        collect();
        assertThat(engine.store.inbox).isEmpty();
        assertThat(received(engine.address("other"))).containsExactly("0");
    }

    @Test
    void aCrashBetweenLookAndFlushLosesNothingAndRepeatsNothing() {
        lay("q", "a");
        step(); // read and handed in, not flushed
        engine.crashAndRestart();
        begin();
        collect();
        assertThat(received(engine.address("q"))).containsExactly("a");
    }

    @Test
    void aCrashAfterTheFlushRepeatsNothing() {
        lay("q", "a");
        engine.store.plan = (verb, flush) -> verb.equals("flush") ? Fault.crash(true) : null;
        step();
        try {
            engine.commitTurn();
        } catch (FaultyStore.Crash crashed) {
            // the process is gone
        }
        engine.crashAndRestart();
        begin();
        collect();
        assertThat(received(engine.address("q"))).containsExactly("a");
        assertThat(engine.store.inbox).isEmpty();
    }

    @Test
    void aFullAddressKeepsItsMessagesInOrderAndTheOthersPass() {
        restartWithQuota(2);
        Address full = engine.queue("full");
        Address free = engine.queue("free");
        IntStream.range(0, 4).forEach(i -> lay("full", "full " + i));
        lay("free", "passes");
        collect();
        assertThat(received(free)).containsExactly("passes");
        assertThat(engine.store.inbox.values())
                .extracting(row -> ((InboxMessage) row).address())
                .containsExactly("full", "full");
        int reads = engine.store.inboxReads;
        lay("full", "full 4");
        collect();
        assertThat(engine.store.inboxReads).isGreaterThan(reads);
        assertThat(engine.store.inbox).hasSize(3);
        Reader reader = engine.attach(engine.reader(full), 100);
        for (int i = 0; i < 5; i++) {
            engine.run();
            reader.acceptAll();
            collect();
        }
        assertThat(reader.texts()).containsExactly("full 0", "full 1", "full 2", "full 3", "full 4");
        assertThat(full.quota().messages()).isZero();
        assertThat(engine.store.inbox).isEmpty();
    }

    @Test
    void anUnknownAddressIsCreatedAsItsPublisherSaid() {
        lay("new", null, "a");
        lay("news", AddressKind.TOPIC, "b");
        lay("q", "c");
        collect();
        assertThat(engine.address("new").isQueue()).isTrue();
        assertThat(engine.address("news").isQueue()).isFalse();
        assertThat(received(engine.address("new"))).containsExactly("a");
        assertThat(received(queue)).containsExactly("c");
        assertThat(engine.store.inbox).isEmpty();
    }

    @Test
    void whatMayNotBeCreatedGoesToTheDeadLetterQueueWithItsReason() {
        AddressPolicy plain = AddressPolicy.of(3, "DLQ");
        AddressPolicy never = new AddressPolicy(Set.of(), AddressKind.QUEUE, 3, "DLQ", "", 0, 1, 0, false);
        restartWith(new AddressPolicies(List.of(new AddressPolicies.Rule("q", plain)), never), 1_000);
        queue = engine.address("q");
        lay("unknown", "a");
        lay("unknown", "b");
        lay("q", "c");
        collect();
        assertThat(received(queue)).containsExactly("c");
        assertThat(received(engine.address("DLQ")))
                .hasSize(2)
                .allSatisfy(letter -> assertThat(letter).contains("|RT-2012 there is no queue 'unknown'"));
    }

    @Test
    void theOtherKindOfAddressIsADeadLetterAndNoMessageWaitsForIt() {
        lay("q", AddressKind.TOPIC, "a");
        lay("q", AddressKind.QUEUE, "b");
        collect();
        assertThat(received(queue)).containsExactly("b");
        assertThat(received(engine.address("DLQ")).get(0)).startsWith("a|RT-2011");
    }

    @Test
    void whatCannotBeEncodedIsADeadLetter() {
        lay("q", "unreadable");
        lay("q", "b");
        collect();
        assertThat(received(queue)).containsExactly("b");
        assertThat(received(engine.address("DLQ"))).containsExactly("unreadable|RT-0001 no message");
    }

    @Test
    void aRowThatTheDatabaseRefusesIsFoundAndTheOthersGoOnInOrder() {
        engine.queue("DLQ");
        IntStream.range(0, 9).forEach(i -> lay("q", i == 5 ? "bad" : Integer.toString(i)));
        engine.store.plan = (verb, flush) -> {
            if (verb.equals("flush") && claims(flush, "bad")) {
                throw new StoreFailure(Kind.REFUSED, "RT-3011", "it is bad");
            }
            return null;
        };
        collect();
        assertThat(received(queue)).containsExactly("0", "1", "2", "3", "4", "6", "7", "8");
        assertThat(received(engine.address("DLQ")).get(0)).startsWith("bad|RT-3011");
        assertThat(engine.store.inbox).isEmpty();
    }

    private static boolean claims(Flush flush, String body) {
        return flush.claims().stream().anyMatch(claim -> Arrays.equals(claim.body(), SteppedEngine.bytes(body)));
    }

    @Test
    void aStoreThatTakesNoWritesKeepsEverythingInTheInbox() {
        lay("q", "a");
        lay("q", "b");
        engine.store.plan = (verb, flush) -> verb.equals("flush") ? Fault.before(Kind.NOT_WRITABLE) : null;
        collect();
        assertThat(engine.store.inbox).hasSize(2);
        assertThat(queue.quota().messages()).as("places came back").isZero();
        engine.store.plan = FaultyStore.NOTHING_FAILS;
        collect();
        assertThat(received(queue)).containsExactly("a", "b");
    }

    @Test
    void anInboxThatCannotBeReadIsAskedAgain() {
        lay("q", "a");
        failOnce("readInbox", Fault.before(Kind.UNAVAILABLE));
        collect();
        assertThat(received(queue)).containsExactly("a");
    }

    @Test
    void aLargeBodyIsStagedFirst() {
        String large = "x".repeat(200_000);
        lay("q", "a");
        lay("q", large);
        lay("q", "c");
        Reader reader = engine.attach(engine.reader(queue), 10);
        for (int i = 0; i < 10_000 && reader.deliveries.size() < 3; i++) {
            collect();
            Thread.onSpinWait();
        }
        assertThat(reader.texts()).containsExactly("a", large, "c");
    }

    @Test
    void looksEveryMillisecondWhileMessagesComeAndEveryFiveWhileNoneDo() {
        collect();
        assertThat(looksWithin(100)).as("idle").isBetween(15, 21);
        lay("q", "a");
        collectFor(1);
        assertThat(collector.restNanos()).isLessThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(INTERVAL_MS));
    }

    private int looksWithin(int ms) {
        int before = engine.store.inboxReads;
        collectFor(ms);
        return engine.store.inboxReads - before;
    }

    @Test
    void handsInNothingOnceItIsStopped() {
        collector.stop();
        lay("q", "a");
        collect();
        assertThat(engine.store.inbox).hasSize(1);
        assertThat(engine.store.inboxReads).isZero();
    }

    // ---- what happens

    private void restartWithQuota(long messages) {
        restartWith(AddressCreation.ANY, messages);
    }

    private void restartWith(AddressCreation creation, long quota) {
        engine.commit = SteppedEngine.COMMIT
                .with("ringtable.commit.quota-messages", quota)
                .commit();
        engine.creation = creation;
        engine.crashAndRestart();
        begin();
    }

    /** As the tables would know the message when the row is read. */
    private InboxSettlement placed(InboxSettlement row) {
        Subscription reader = engine.reader(queue);
        boolean isReaders = row.subscriptionId() == reader.id();
        if (isReaders && row.sequence() >= engine.state.ring().gate()) {
            return settlement(row, Place.RING, reader, 0, 0, 0);
        }
        List<StoredMessage> found = isReaders
                ? engine.store.readBacklog(
                        queue.id(), reader.group(), reader.bit(), row.sequence() - 1, 1, Long.MAX_VALUE)
                : List.of();
        if (found.isEmpty() || found.get(0).sequence() != row.sequence()) {
            return settlement(row, Place.NOWHERE, reader, 0, 0, 0);
        }
        StoredMessage message = found.get(0);
        return settlement(row, Place.BACKLOG, reader, message.pending(), message.bodyBytes(), message.bodyId());
    }

    private static InboxSettlement settlement(
            InboxSettlement row, Place place, Subscription reader, long pending, int bytes, long bodyId) {
        return new InboxSettlement(
                row.id(),
                1,
                row.subscriptionId(),
                row.sequence(),
                place,
                reader.address().id(),
                pending,
                bytes,
                bodyId);
    }

    /** An application has settled the message in a transaction of its own. */
    private void settle(long sequence) {
        long id = ids++;
        engine.store.inbox.put(
                id, new InboxSettlement(id, 1, engine.reader(queue).id(), sequence, Place.RING, queue.id(), 0, 0, 0));
    }

    private void lay(String address, String text) {
        lay(address, null, text);
    }

    private void lay(String address, AddressKind kind, String text) {
        long id = ids++;
        engine.store.inbox.put(id, new InboxMessage(id, address, kind, true, SteppedEngine.bytes(text), "{}", 1));
    }

    private void failOnce(String verb, Fault fault) {
        engine.store.plan = (called, flush) -> {
            if (called.equals(verb)) {
                engine.store.plan = FaultyStore.NOTHING_FAILS;
                return fault;
            }
            return null;
        };
    }

    private int step() {
        nanos += TimeUnit.MILLISECONDS.toNanos(1);
        return collector.doWork();
    }

    /** Two seconds pass. */
    private void collect() {
        collectFor(2_000);
    }

    private void collectFor(int ms) {
        for (int i = 0; i < ms; i++) {
            int turns = 0;
            step();
            do {
                engine.run();
                turns++;
            } while (collector.doWork() > 0 && turns < 100);
        }
    }

    private List<String> received(Address address) {
        Reader reader = engine.attach(engine.reader(address), 10_000);
        engine.run();
        return reader.texts();
    }

    /** The body as it is; a dead letter has its reason behind it. */
    private static final class PlainEncoder implements InboxEncoder {
        private static int errorsLeft;

        @Override
        public Encoded encode(InboxMessage message, long now) {
            switch (new String(message.body(), StandardCharsets.UTF_8)) {
                case "exception" -> throw new IllegalArgumentException("of the test");
                case "overflow" -> throw new StackOverflowError("of the test");
                case "error" -> {
                    if (errorsLeft-- > 0) {
                        throw new OutOfMemoryError("of the test");
                    }
                }
                default -> {
                    // as any other
                }
            }
            if (Arrays.equals(message.body(), SteppedEngine.bytes("unreadable"))) {
                throw new Refusal.Refused(new Refusal(Refusal.Reason.INVALID, "RT-0001", "no message"));
            }
            return new Encoded(message.body(), Message.PRIORITY_NORMAL, 0);
        }

        @Override
        public byte[] deadLetter(InboxMessage message, String reason, long now) {
            byte[] why = SteppedEngine.bytes("|" + reason);
            byte[] letter = Arrays.copyOf(message.body(), message.body().length + why.length);
            System.arraycopy(why, 0, letter, message.body().length, why.length);
            return letter;
        }
    }
}

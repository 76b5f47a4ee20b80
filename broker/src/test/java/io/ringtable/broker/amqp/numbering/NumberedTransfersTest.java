package io.ringtable.broker.amqp.numbering;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.amqp.carried.CarriedProducer;
import io.ringtable.broker.amqp.link.WaitingBytes;
import io.ringtable.broker.catalog.Producer;
import io.ringtable.wire.ProducerTag;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Links share the bytes that their node keeps. A model of an owner accepts and refuses what comes to it. */
class NumberedTransfersTest {
    private static final int NODE_BYTES = 200_000;
    private static final int CHUNK = 32 * 1024;
    private static final Rejected OUT_OF_ORDER = new Rejected(
            new ErrorCondition(AmqpError.ILLEGAL_STATE, Producer.OUT_OF_ORDER + " a predecessor is missing"));

    private final WaitingBytes kept = new WaitingBytes(NODE_BYTES);
    private long held; // bytes of the clients' connections

    private NumberedTransfers<Transfer> numbers() {
        RelayProducers producers = new RelayProducers("node-a", 0, (action, delayMs) -> action.run());
        NumberedTransfers<Transfer> numbers = new NumberedTransfers<>(producers, kept, more -> held += more);
        assertThat(numbers.answered(new CarriedProducer(numbers.asks("q").name(), 1, 0)))
                .isTrue();
        return numbers;
    }

    private void assertNothingIsKept() {
        assertThat(held).isZero();
        assertThat(kept.tryTake(NODE_BYTES)).as("all bytes are free").isTrue();
        kept.give(NODE_BYTES);
    }

    @Test
    void aLinkBeyondTheBytesOfTheNodeWaitsUntilItHasNoOtherTransferWithoutAnOutcome() {
        NumberedTransfers<Transfer> first = numbers();
        NumberedTransfers<Transfer> second = numbers();
        var all = first.begin(null, null);
        assertThat(all.mayRead(NODE_BYTES)).isTrue();
        var small = second.begin(null, null);
        assertThat(small.mayRead(1))
                .as("it is alone, and goes without being kept")
                .isTrue();
        var next = second.begin(null, null);
        assertThat(next.mayRead(1)).isFalse();
        assertThat(second.isGoingBack()).as("it waits").isFalse();
        assertThat(second.areKept()).isFalse();

        assertThat(second.isAnswered(small, Accepted.getInstance())).isTrue();
        assertThat(next.mayRead(1)).isTrue();
        assertThat(second.areKept()).isFalse();
        assertThat(second.isAnswered(next, Accepted.getInstance())).isTrue();
        first.remove(all);
        var later = second.begin(null, null);
        assertThat(later.mayRead(1)).isTrue();
        assertThat(second.areKept()).isTrue();
        second.end();
        assertNothingIsKept();
    }

    /** A transfer whose predecessor was refused could come back once it is not kept any more: it begins anew. */
    @Test
    void aTransferThatIsNotKeptFollowsTheLastOneThatIsStored() {
        NumberedTransfers<Transfer> numbers = numbers();
        kept.take(NODE_BYTES);
        var refused = numbers.begin(null, new byte[0]);
        var large = numbers.begin(null, null);
        numbers.remove(refused);
        assertThat(large.mayRead(1)).isFalse();
        assertThat(numbers.isGoingBack()).isTrue();
        numbers.remove(large);
        assertThat(numbers.takeBack()).isEmpty();
        var again = numbers.begin(null, null);
        assertThat(again.mayRead(1)).isTrue();
        assertThat(ProducerTag.previous(again.tag())).isZero();
        numbers.end();
        kept.give(NODE_BYTES);
        assertNothingIsKept();
    }

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 100);
    }

    /** The owner is lost at moments at which every transfer can go again. No link waits for another one. */
    @ParameterizedTest
    @MethodSource("seeds")
    void eachTransferIsStoredOnceAndInOrderAndNothingStaysKept(long seed) {
        Random random = new Random(seed);
        List<Link> links = IntStream.range(0, 4).mapToObj(i -> new Link(random)).toList();
        for (int step = 0; step < 2_000; step++) {
            links.get(random.nextInt(links.size())).step();
        }
        boolean isMoving = true;
        while (isMoving) {
            isMoving = false;
            for (Link link : links) {
                isMoving |= link.write() | link.answer();
            }
        }
        for (Link link : links) {
            assertThat(link.waiting).as("transfers that wait for nothing").isEmpty();
            assertThat(link.stored).isEqualTo(link.expected);
        }
        assertNothingIsKept();
    }

    /** A transfer of a client. */
    private static final class Transfer {
        private final int id;
        private final boolean isRefused; // for itself
        private int unread;
        private byte[] read; // before it goes again; null if nothing was

        Transfer(int id, int bytes, boolean isRefused) {
            this.id = id;
            this.unread = bytes;
            this.isRefused = isRefused;
        }
    }

    /** A link, its client and its owner. */
    private final class Link {
        private final Random random;
        private final NumberedTransfers<Transfer> numbers = numbers();
        private final ArrayDeque<Transfer> waiting = new ArrayDeque<>();
        private final ArrayDeque<NumberedTransfer<Transfer>> atOwner = new ArrayDeque<>(); // without an outcome
        private final List<Integer> stored = new ArrayList<>();
        private final List<Integer> expected = new ArrayList<>();
        private NumberedTransfer<Transfer> current;
        private long last; // number that the owner has stored
        private int ids;

        Link(Random random) {
            this.random = random;
        }

        void step() {
            switch (random.nextInt(8)) {
                case 0, 1 -> publish();
                case 2, 3, 4 -> write();
                case 5, 6 -> answer();
                default -> lose();
            }
        }

        private void publish() {
            boolean isLarge = random.nextInt(20) == 0;
            boolean isRefused = random.nextInt(4) == 0;
            int bytes = random.nextInt(isLarge ? 2 * NODE_BYTES : 40_000);
            if (!isRefused) {
                expected.add(ids);
            }
            waiting.add(new Transfer(ids++, bytes, isRefused));
        }

        /** Sends one part more. @return false if nothing can go on */
        boolean write() {
            if (numbers.isGoingBack()) {
                if (current != null) {
                    numbers.remove(current);
                    takeBack(List.of(current));
                    current = null;
                }
                takeBack(numbers.takeBack());
            }
            if (numbers.isGoingBack() || waiting.isEmpty()) {
                return false;
            }
            Transfer transfer = waiting.peek();
            if (current == null) {
                if (!numbers.hasRoom(transfer.read == null ? 0 : transfer.read.length)) {
                    return false;
                }
                current = numbers.begin(transfer, transfer.read);
                transfer.read = null;
            }
            int part = Math.min(CHUNK, transfer.unread);
            if (part > 0 && !current.mayRead(part)) {
                return numbers.isGoingBack();
            }
            current.read(new byte[part]);
            transfer.unread -= part;
            if (transfer.unread == 0) {
                atOwner.add(current);
                current = null;
                waiting.remove();
            }
            return true;
        }

        private void takeBack(List<NumberedTransfer<Transfer>> again) {
            for (int i = again.size() - 1; i >= 0; i--) {
                Transfer transfer = again.get(i).of();
                if (again.get(i) != current) {
                    waiting.addFirst(transfer);
                }
                transfer.read = again.get(i).read();
            }
        }

        /** Has the owner answer the next transfer. @return false if it has none */
        boolean answer() {
            NumberedTransfer<Transfer> next = atOwner.poll();
            if (next == null) {
                return false;
            }
            Transfer transfer = next.of();
            if (transfer.isRefused) {
                numbers.remove(next);
            } else if (ProducerTag.previous(next.tag()) != last) {
                assertThat(numbers.isAnswered(next, OUT_OF_ORDER)).isFalse();
            } else {
                store(next, transfer);
                assertThat(numbers.isAnswered(next, Accepted.getInstance())).isTrue();
            }
            return true;
        }

        private void store(NumberedTransfer<Transfer> next, Transfer transfer) {
            last = ProducerTag.first(next.tag());
            stored.add(transfer.id);
        }

        /** Loses the owner, which may have stored some of what has no outcome. */
        private void lose() {
            if (!numbers.areKept()) {
                return; // its client would be closed
            }
            for (int lucky = random.nextInt(3); lucky > 0 && !atOwner.isEmpty(); lucky--) {
                NumberedTransfer<Transfer> next = atOwner.poll();
                Transfer transfer = next.of();
                if (!transfer.isRefused && ProducerTag.previous(next.tag()) == last) {
                    store(next, transfer);
                }
            }
            atOwner.clear();
            if (current != null) {
                numbers.remove(current);
                takeBack(List.of(current));
                current = null;
            }
            CarriedProducer said = numbers.asks("q");
            assertThat(numbers.answered(new CarriedProducer(said.name(), 1, last / Producer.RELAY_STEP)))
                    .isTrue();
            numbers.takeStored();
            takeBack(numbers.takeAll());
        }
    }
}

package io.ringtable.broker.amqp.numbering;

import io.ringtable.broker.amqp.carried.CarriedProducer;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.WaitingBytes;
import io.ringtable.broker.catalog.Producer;
import io.ringtable.broker.message.Printable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.transport.ConnectionError;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Numbers the transfers of one link that is passed on, keeps their bytes until their outcome, and says which of them go
 * again. The number is of one sending: a transfer that goes again gets another one, as the owner has not stored it.
 * <p>
 * The owner stores a transfer only if that before it, of those that were not refused, is the last one that is stored.
 * So a refusal has all behind it refused too (RT-4107), and they come back ({@link #takeBack}). Of what has no outcome
 * the last stored number tells everything: what is not above it is stored, and nothing else is.
 * <p>
 * Thread: the event loop of the client's connection.
 *
 * @param <T> what the link passes on
 */
public final class NumberedTransfers<T> {
    /**
     * Limits the bytes that one link keeps: what goes within a few ms at the full rate of a network. A larger transfer
     * goes by itself, and is not kept.
     */
    static final int LINK_BYTES = 1024 * 1024;

    /** Limits the bytes that all links of this node keep: links that send at their full rate, and many that do not. */
    public static final long NODE_BYTES = 64L * LINK_BYTES;

    /** Asks how far a producer is at this node. */
    @FunctionalInterface
    public interface OwnNode {
        /** Asks once. @param then hears it; null if this node cannot tell now */
        void lastNumber(CarriedProducer producer, Consumer<CarriedProducer> then);
    }

    private final RelayProducers producers;
    private final WaitingBytes all; // that links keep
    private final LongConsumer held;
    private final ArrayDeque<NumberedTransfer<T>> pending = new ArrayDeque<>(); // no outcome; in order of numbers
    private RelayProducers.Place place; // null if there is none
    private long incarnation; // of the producer; 0 = the owner has none for the link
    private long last; // number that is stored
    private long next; // number that was given
    private int keptBytes;
    private boolean goingBack;
    private boolean asking; // this node
    private int answers; // of owners

    /**
     * Makes an empty list.
     *
     * @param all counts what the links of this node keep
     * @param held hears of more bytes that the client's connection holds, or fewer if negative
     */
    public NumberedTransfers(RelayProducers producers, WaitingBytes all, LongConsumer held) {
        this.producers = producers;
        this.all = all;
        this.held = held;
    }

    // ---- the producer

    /** Returns what the attach to an owner asks for. @param address names it, or one part of it */
    public CarriedProducer asks(String address) {
        if (place == null) {
            place = producers.take(address);
        }
        return new CarriedProducer(place.producer(), incarnation, 0);
    }

    /**
     * Has this node say how far the producer is, since it is the next owner itself. It is asked once at a time.
     *
     * @param told hears what it says, for {@link #answered}; not called if it cannot tell, or another owner has
     * @return whether nothing is left to ask, as no transfer is without an outcome
     */
    public boolean isTold(OwnNode node, Consumer<CarriedProducer> told) {
        if (pending.isEmpty()) {
            return true;
        }
        if (!asking) {
            asking = true;
            int before = answers;
            node.lastNumber(new CarriedProducer(place.producer(), incarnation, last), said -> {
                asking = false;
                if (said != null && answers == before) {
                    told.accept(said);
                }
            });
        }
        return false;
    }

    /**
     * Hears the answer of an owner.
     *
     * @param said null if the owner has no producer for the link
     * @return whether the owner knows of each transfer without an outcome whether it is stored
     */
    public boolean answered(CarriedProducer said) {
        answers++;
        boolean isKnown = pending.isEmpty() || said != null && said.incarnation() == incarnation;
        if (said == null || said.incarnation() == 0) {
            incarnation = 0;
            giveBack();
        } else {
            incarnation = said.incarnation();
            last = said.lastNumber();
            next = Math.max(next, last);
        }
        return isKnown;
    }

    /** Tells whether transfers get numbers. */
    public boolean isOn() {
        return incarnation != 0;
    }

    /** Returns why a client must connect again, as an owner does not know. @param link named as the client does */
    public static ErrorCondition notKnown(String address, String link) {
        return Conditions.of(
                ConnectionError.CONNECTION_FORCED,
                "RT-4665 the next owner of '" + Printable.value(address) + "' does not know how far link '"
                        + Printable.value(link)
                        + "' has come: connect again. A transfer without an outcome may be stored");
    }

    /** Forgets everything, and lets another link have the producer. @return the transfers without an outcome */
    public List<NumberedTransfer<T>> end() {
        giveBack();
        incarnation = 0;
        answers++;
        return takeAll();
    }

    private void giveBack() {
        if (place != null) {
            place.giveBack(incarnation != 0 && pending.isEmpty());
            place = null;
        }
    }

    // ---- on their way

    /** Tells whether no transfer is without an outcome. */
    public boolean isEmpty() {
        return pending.isEmpty();
    }

    /** Tells whether all transfers without an outcome can go again. */
    public boolean areKept() {
        return pending.stream().allMatch(NumberedTransfer::isKept);
    }

    /** Tells whether a transfer may begin. @param bytes that were read of it before */
    public boolean hasRoom(int bytes) {
        return bytes == 0 || pending.isEmpty() || keptBytes + bytes <= LINK_BYTES;
    }

    /** Begins a transfer. @param read of it before; null if nothing was */
    public NumberedTransfer<T> begin(T of, byte[] read) {
        long previous = pending.isEmpty() ? last : pending.peekLast().number();
        NumberedTransfer<T> begun = new NumberedTransfer<>(this, of, ++next, previous);
        pending.add(begun);
        if (read != null && keptBytes + read.length <= LINK_BYTES) {
            all.take(read.length);
            count(begun, read.length);
            begun.read(read);
        } else if (read != null) {
            begun.forget(); // it is the only one
        }
        return begun;
    }

    /**
     * Tells whether a transfer that is larger than what may be kept may go on. It may once it is the only one without
     * an outcome. Then no other one can make it come back. If one has done so already, it begins again.
     */
    boolean mayKeep(NumberedTransfer<T> transfer, int more) {
        if (keptBytes + more <= LINK_BYTES && all.tryTake(more)) {
            count(transfer, more);
            return true;
        }
        if (pending.size() > 1) {
            return false;
        }
        if (transfer.previous() != last) {
            goingBack = true;
            return false;
        }
        release(transfer);
        transfer.forget();
        return true;
    }

    /**
     * Hears the outcome of a transfer.
     *
     * @return false if it is refused for one before it: it has no outcome yet, and comes back
     */
    public boolean isAnswered(NumberedTransfer<T> transfer, DeliveryState outcome) {
        if (outcome instanceof Rejected rejected && isOutOfOrder(rejected.getError())) {
            transfer.comesBack();
            goingBack = true;
            return false;
        }
        if (outcome instanceof Accepted) {
            last = Math.max(last, transfer.number());
        }
        remove(transfer);
        return true;
    }

    private static boolean isOutOfOrder(ErrorCondition refusal) {
        return refusal != null
                && refusal.getDescription() != null
                && refusal.getDescription().startsWith(Producer.OUT_OF_ORDER);
    }

    /** Forgets a transfer that was refused for itself, or that was aborted. */
    public void remove(NumberedTransfer<T> transfer) {
        pending.remove(transfer);
        release(transfer);
    }

    // ---- again

    /** Tells whether transfers go again: no other one may go before. */
    public boolean isGoingBack() {
        return goingBack;
    }

    /** Takes the transfers that go again, in their order, once all behind the refused one have come back. */
    public List<NumberedTransfer<T>> takeBack() {
        return goingBack && pending.stream().allMatch(NumberedTransfer::isBack) ? takeAll() : List.of();
    }

    /** Takes the transfers that are stored, as the latest owner has said. */
    public List<NumberedTransfer<T>> takeStored() {
        List<NumberedTransfer<T>> stored = new ArrayList<>();
        while (!pending.isEmpty() && pending.peek().number() <= last) {
            stored.add(pending.poll());
        }
        stored.forEach(this::release);
        return stored;
    }

    /** Takes the other ones, which go again in their order. */
    public List<NumberedTransfer<T>> takeAll() {
        List<NumberedTransfer<T>> again = List.copyOf(pending);
        pending.clear();
        goingBack = false;
        again.forEach(this::release);
        return again;
    }

    private void count(NumberedTransfer<T> transfer, int more) {
        transfer.count(more);
        keptBytes += more;
        held.accept(more);
    }

    private void release(NumberedTransfer<T> transfer) {
        if (transfer.bytes() > 0) {
            all.give(transfer.bytes());
            count(transfer, -transfer.bytes());
        }
    }
}

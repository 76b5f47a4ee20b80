package io.ringtable.broker.amqp.numbering;

import io.ringtable.broker.amqp.carried.CarriedProducer;
import io.ringtable.broker.amqp.frames.Chunks;
import io.ringtable.broker.amqp.link.WaitingBytes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.apache.qpid.protonj2.engine.IncomingDelivery;

/**
 * Numbers the transfers of one link that is passed on, keeps their bytes until their outcome, and says which of them go
 * again. The number is of one sending: a transfer that goes again gets another one, as the owner has not stored it.
 * <p>
 * The owner stores a transfer only if that before it, of those that were not refused, is the last one that is stored.
 * So a refusal has all behind it refused too (RT-4107), and they {@link #comesBack come back}. Of what has no outcome
 * the last stored number tells everything: what is not above it is stored, and nothing else is.
 * <p>
 * Thread: the event loop of the client's connection.
 */
public final class NumberedTransfers {
    /**
     * Limits the bytes that one link keeps: what goes within a few ms at the full rate of a network. A larger transfer
     * goes by itself, and is not kept.
     */
    static final int LINK_BYTES = 1024 * 1024;

    /** Limits the bytes that all links of this node keep: links that send at their full rate, and many that do not. */
    public static final long NODE_BYTES = 64L * LINK_BYTES;

    /** Is one transfer on its way to the owner, or without an outcome. */
    public final class Numbered implements Chunks.Keeper {
        private final IncomingDelivery delivery;
        private final long number;
        private final long previous;
        private List<byte[]> kept = new ArrayList<>(1); // all that was read; null = it cannot go again
        private int bytes; // of that, and of what is read next
        private boolean comesBack;

        private Numbered(IncomingDelivery delivery, long number, long previous) {
            this.delivery = delivery;
            this.number = number;
            this.previous = previous;
        }

        /** Returns the transfer of the client. */
        public IncomingDelivery delivery() {
            return delivery;
        }

        /** Returns the delivery tag for the owner, which has the numbers. */
        public byte[] tag() {
            return CarriedProducer.tag(number, previous);
        }

        /** Returns all that was read of the transfer. */
        public byte[] read() {
            if (kept.size() == 1) {
                return kept.get(0);
            }
            byte[] all = new byte[kept.stream().mapToInt(part -> part.length).sum()];
            int at = 0;
            for (byte[] part : kept) {
                System.arraycopy(part, 0, all, at, part.length);
                at += part.length;
            }
            return all;
        }

        /**
         * {@inheritDoc} A transfer that is larger than what may be kept goes on once it is the only one without an
         * outcome. Then no other one can make it come back. If one has done so already, the transfer begins again.
         */
        @Override
        public boolean mayRead(int more) {
            if (kept == null) {
                return true;
            }
            if (keptBytes + more <= LINK_BYTES && all.tryTake(more)) {
                count(this, more);
                return true;
            }
            if (pending.size() > 1) {
                return false;
            }
            if (previous != last) {
                goingBack = true;
                return false;
            }
            release(this);
            kept = null;
            return true;
        }

        @Override
        public void read(byte[] part) {
            if (kept != null) {
                kept.add(part);
            }
        }
    }

    private final RelayProducers producers;
    private final WaitingBytes all; // that links keep
    private final LongConsumer held;
    private final ArrayDeque<Numbered> pending =
            new ArrayDeque<>(); // without an outcome, in the order of their numbers
    private RelayProducers.Place place; // null if there is none
    private long incarnation; // of the producer; 0 = the owner has none for the link
    private long last; // number that is stored
    private long next; // number that was given
    private int keptBytes;
    private boolean goingBack;

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

    /** Returns what the attach to an owner asks for. */
    public CarriedProducer asks(String address) {
        if (place == null) {
            place = producers.take(address);
        }
        return new CarriedProducer(place.producer(), incarnation, 0);
    }

    /** Returns the producer of transfers without an outcome; null if there are none. */
    public CarriedProducer unknown() {
        return pending.isEmpty() ? null : new CarriedProducer(place.producer(), incarnation, last);
    }

    /**
     * Hears the answer of an owner.
     *
     * @param said null if the owner has no producer for the link
     * @return whether the owner knows of each transfer without an outcome whether it is stored
     */
    public boolean answered(CarriedProducer said) {
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

    /** Forgets everything, and lets another link have the producer. */
    public void end() {
        giveBack();
        incarnation = 0;
        goingBack = false;
        pending.forEach(this::release);
        pending.clear();
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
        return pending.stream().allMatch(each -> each.kept != null);
    }

    /** Tells whether a transfer may begin. @param bytes that were read of it before */
    public boolean hasRoom(int bytes) {
        return bytes == 0 || pending.isEmpty() || keptBytes + bytes <= LINK_BYTES;
    }

    /** Begins a transfer. @param read of it before; null if nothing was */
    public Numbered begin(IncomingDelivery delivery, byte[] read) {
        Numbered begun = new Numbered(delivery, ++next, pending.isEmpty() ? last : pending.peekLast().number);
        pending.add(begun);
        if (read != null && keptBytes + read.length <= LINK_BYTES) {
            all.take(read.length);
            count(begun, read.length);
            begun.read(read);
        } else if (read != null) {
            begun.kept = null; // it is the only one
        }
        return begun;
    }

    /** Hears that a transfer is stored. */
    public void accepted(Numbered transfer) {
        last = Math.max(last, transfer.number);
        remove(transfer);
    }

    /** Hears that a transfer was refused for itself, or that it was aborted. */
    public void remove(Numbered transfer) {
        pending.remove(transfer);
        release(transfer);
    }

    // ---- again

    /** Hears that a transfer was refused for one before it. */
    public void comesBack(Numbered transfer) {
        transfer.comesBack = true;
        goingBack = true;
    }

    /** Tells whether transfers go again: no other one may go before. */
    public boolean isGoingBack() {
        return goingBack;
    }

    /** Takes the transfers that go again, in their order, once all behind the refused one have come back. */
    public List<Numbered> takeBack() {
        return goingBack && pending.stream().allMatch(each -> each.comesBack) ? takeAll() : List.of();
    }

    /** Takes the transfers that are stored, as the latest owner has said. */
    public List<Numbered> takeStored() {
        List<Numbered> stored = new ArrayList<>();
        while (!pending.isEmpty() && pending.peek().number <= last) {
            stored.add(pending.poll());
        }
        stored.forEach(this::release);
        return stored;
    }

    /** Takes the other ones, which go again in their order. */
    public List<Numbered> takeAll() {
        List<Numbered> again = List.copyOf(pending);
        pending.clear();
        goingBack = false;
        again.forEach(this::release);
        return again;
    }

    private void count(Numbered transfer, int more) {
        transfer.bytes += more;
        keptBytes += more;
        held.accept(more);
    }

    private void release(Numbered transfer) {
        if (transfer.bytes > 0) {
            all.give(transfer.bytes);
            count(transfer, -transfer.bytes);
        }
    }
}

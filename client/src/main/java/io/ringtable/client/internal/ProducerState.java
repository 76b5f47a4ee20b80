package io.ringtable.client.internal;

import io.ringtable.wire.ProducerTag;
import io.ringtable.wire.RingtableSymbols;
import java.util.HashMap;
import java.util.Map;
import org.apache.qpid.protonj2.types.Symbol;

/**
 * The numbers of a publisher whose messages are stored once: which one the next message gets, which one was sent last, and which
 * one the broker has stored last.
 * <p>
 * Thread: the I/O thread; {@link #lastStored} is read by any.
 */
final class ProducerState {

    private final String id;
    private long incarnation; // 0 = the broker has not given one yet
    private long lastGiven;
    private long lastSent; // and not refused since: the broker stores what follows it only if it has stored this
    private volatile long lastStored; // written by the I/O thread, read by any

    ProducerState(String id) {
        this.id = id;
    }

    /** Properties of an attach. */
    Map<Symbol, Object> terms() {
        Map<Symbol, Object> terms = new HashMap<>();
        terms.put(RingtableSymbols.PRODUCER, id);
        if (incarnation > 0) {
            terms.put(RingtableSymbols.PRODUCER_INCARNATION, incarnation);
        }
        return terms;
    }

    /**
     * The broker has agreed: what it has stored is final, whatever was under way before.
     *
     * @return false if it does not know what a producer is
     */
    boolean attached(Map<Symbol, Object> answer) {
        if (answer == null
                || !(answer.get(RingtableSymbols.PRODUCER_INCARNATION) instanceof Long given)
                || !(answer.get(RingtableSymbols.PRODUCER_LAST_NUMBER) instanceof Long stored)) {
            return false;
        }
        if (incarnation == 0) {
            lastGiven = stored;
        }
        incarnation = given;
        lastStored = stored;
        lastSent = stored;
        return true;
    }

    /** A number for the next message. */
    long next() {
        return ++lastGiven;
    }

    /** The delivery tag of a transfer that is about to be sent. */
    byte[] tag(Transfer transfer) {
        byte[] tag = ProducerTag.of(transfer.messages().get(0).number(), lastSent);
        lastSent = transfer.lastNumber();
        return tag;
    }

    void stored(Transfer transfer) {
        lastStored = Math.max(lastStored, transfer.lastNumber());
    }

    /** Nothing is under way any more: what was refused for its order is sent again after what is stored. */
    void resume() {
        lastSent = lastStored;
    }

    long lastStored() {
        return lastStored;
    }
}

package io.ringtable.client.internal.publish;

import io.ringtable.wire.ProducerTag;
import io.ringtable.wire.RingtableSymbols;
import java.util.HashMap;
import java.util.Map;
import org.apache.qpid.protonj2.types.Symbol;

/**
 * Numbers the messages of a publisher that are stored once. Knows the number of the next message, of the last sent
 * message, and of the last message that the broker has stored.
 * <p>
 * Thread: the I/O thread; any thread may read {@link #lastStored}.
 */
final class ProducerState {

    private final String id;
    private long incarnation; // 0 = the broker has not given one yet
    private long lastGiven;
    private long lastSent; // and not refused since: the broker stores the next message only if it has stored this
    private volatile long lastStored; // written by the I/O thread, read by any

    ProducerState(String id) {
        this.id = id;
    }

    /** Returns the properties of an attach. */
    Map<Symbol, Object> terms() {
        Map<Symbol, Object> terms = new HashMap<>();
        terms.put(RingtableSymbols.PRODUCER, id);
        if (incarnation > 0) {
            terms.put(RingtableSymbols.PRODUCER_INCARNATION, incarnation);
        }
        return terms;
    }

    /**
     * Takes over the number up to which the broker has stored messages, which is final.
     *
     * @return false if the broker knows no producers
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

    /** Returns the number of the next message. */
    long next() {
        return ++lastGiven;
    }

    /** Returns the delivery tag of a transfer that is about to be sent. */
    byte[] tag(Transfer transfer) {
        byte[] tag = ProducerTag.of(transfer.messages().get(0).number(), lastSent);
        lastSent = transfer.lastNumber();
        return tag;
    }

    void stored(Transfer transfer) {
        lastStored = Math.max(lastStored, transfer.lastNumber());
    }

    /** Begins again after the last stored message, once nothing is under way. */
    void resume() {
        lastSent = lastStored;
    }

    long lastStored() {
        return lastStored;
    }
}

package io.ringtable.broker.job;

import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.consumer.Enlisted;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Mailbox;
import io.ringtable.broker.work.Settle;
import io.ringtable.broker.work.Work;
import java.util.List;
import java.util.function.Consumer;

/**
 * Brings one letter to where it goes: its copy there and its settlement here are one work.
 * <p>
 * Thread: jobs. The committer and the stager put it into the line's queue when they are done with it.
 */
final class Passage implements Completion {
    private final Delivery delivery;
    private final Enlisted enlisted;
    private final LetterRoute.Way way;
    private final byte[] encoded;
    private final Consumer<Passage> answers;
    private final Mailbox mailbox;
    private Message copy;
    private boolean isReady; // its copy is staged, if it must be
    private boolean isHandedIn;
    private Refusal refusal; // written before it enters the queue

    /**
     * @param enlisted null if the letter stays where it is
     * @param encoded as it arrives; null if it goes nowhere
     * @param answers takes it from any thread
     */
    Passage(
            Delivery delivery,
            Enlisted enlisted,
            LetterRoute.Way way,
            byte[] encoded,
            Consumer<Passage> answers,
            Mailbox mailbox) {
        this.delivery = delivery;
        this.enlisted = enlisted;
        this.way = way;
        this.encoded = encoded;
        this.answers = answers;
        this.mailbox = mailbox;
    }

    Delivery delivery() {
        return delivery;
    }

    /** Returns null if the letter stays where it is. */
    Enlisted enlisted() {
        return enlisted;
    }

    LetterRoute.Way way() {
        return way;
    }

    byte[] encoded() {
        return encoded;
    }

    /** Returns the bytes that it keeps in memory. */
    long bytes() {
        return (long) delivery.message().bytes() + copyBytes();
    }

    int copyBytes() {
        return encoded == null ? 0 : encoded.length;
    }

    /** Returns the reason why it did not come through; null if it did. */
    Refusal refusal() {
        return refusal;
    }

    boolean isReady() {
        return isReady;
    }

    boolean isHandedIn() {
        return isHandedIn;
    }

    /** Begins, or begins anew. @param itsCopy null if it goes nowhere */
    void begin(Message itsCopy, boolean ready) {
        copy = itsCopy;
        isReady = ready;
        isHandedIn = false;
        refusal = null;
    }

    void ready() {
        isReady = true;
    }

    Work work() {
        isHandedIn = true;
        Settle settlement = enlisted == null ? null : enlisted.settlement();
        List<Settle> settlements = settlement == null ? List.of() : List.of(settlement);
        return copy == null
                ? new Work(List.of(), settlements, this)
                : Work.moved(copy, way.recipient(), settlements, this);
    }

    void notHandedIn() {
        isHandedIn = false;
    }

    /** Hears from the stager. @param why null if the copy is staged */
    void staged(Refusal why) {
        refusal = why;
        answers.accept(this);
        mailbox.wake();
    }

    @Override
    public void accepted() {
        answers.accept(this);
    }

    @Override
    public void refused(Refusal why) {
        refusal = why;
        answers.accept(this);
    }

    @Override
    public Mailbox mailbox() {
        return mailbox;
    }
}

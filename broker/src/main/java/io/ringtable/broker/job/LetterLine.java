package io.ringtable.broker.job;

import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.consumer.Enlisted;
import io.ringtable.broker.dispatch.consumer.MessageFormat;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.work.CommitterMailbox;
import io.ringtable.broker.work.Mailbox;
import io.ringtable.broker.work.Work;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;

/**
 * Holds the letters of a job that are on their way to the committer, in order. A letter waits while the large body of
 * an earlier one is staged. The number of letters and their bytes are bounded.
 * <p>
 * Thread: jobs. A caller reserves the place of a letter in the quota of its address before it adds the letter.
 */
final class LetterLine {
    private static final int LETTERS_MAX = 4_096;
    private static final long BYTES_MAX = 16 << 20; // of letters and copies; one letter is always let through

    private final Home home;
    private final CommitterMailbox committer;
    private final MessageFormat format;
    private final LongSupplier clockMs;
    private final Mailbox mailbox;
    private final Queue<Passage> answers = new MpscUnboundedAtomicArrayQueue<>(256);
    private final Deque<Passage> waiting = new ArrayDeque<>(); // not handed in
    private final List<Passage> refused = new ArrayList<>(); // to be tried again
    private final AtomicBoolean awaitsRoom = new AtomicBoolean();
    private int letters; // waiting or handed in
    private long bytes;

    /** @param home of the letters, and of where they go */
    LetterLine(Home home, MessageFormat format, LongSupplier clockMs, Mailbox mailbox) {
        this.home = home;
        this.committer = home.committer();
        this.format = format;
        this.clockMs = clockMs;
        this.mailbox = mailbox;
    }

    boolean hasRoom() {
        return refused.isEmpty() && (letters == 0 || letters < LETTERS_MAX && bytes < BYTES_MAX);
    }

    boolean isEmpty() {
        return letters == 0 && refused.isEmpty();
    }

    /** Returns how many letters are on their way. */
    int letters() {
        return letters + refused.size();
    }

    /**
     * Adds a letter behind the others.
     *
     * @param enlisted null if it stays where it is
     * @param encoded as it arrives; null if it goes nowhere
     */
    void add(Delivery delivery, Enlisted enlisted, LetterRoute.Way way, byte[] encoded) {
        begin(new Passage(delivery, enlisted, way, encoded, answers::add, mailbox));
    }

    private void begin(Passage passage) {
        letters++;
        bytes += passage.bytes();
        waiting.add(passage);
        byte[] encoded = passage.encoded();
        if (encoded == null) {
            passage.begin(null, true);
            return;
        }
        if (encoded.length <= home.bodyIds().inlineBytesMax()) {
            passage.begin(copy(passage, 0), true);
        } else {
            long bodyId = home.bodyIds().nextBodyId();
            passage.begin(copy(passage, bodyId), false);
            home.stager().stage(bodyId, encoded, passage::staged);
        }
    }

    private Message copy(Passage passage, long bodyId) {
        Message letter = passage.delivery().message();
        MessageFormat.Facts facts = format.facts(passage.encoded());
        return new Message(
                passage.way().address(),
                clockMs.getAsLong(),
                letter.priority(),
                letter.expiresAt(),
                0,
                passage.encoded(),
                bodyId,
                facts.group(),
                null,
                letter.login(),
                facts.traceAt());
    }

    /** Hands in what is ready, up to the first letter that is not. @return how many */
    int handIn() {
        int done = 0;
        for (Passage first; (first = waiting.peek()) != null && first.isReady(); done++) {
            Work work = first.work();
            if (!committer.trySubmit(work)) {
                first.notHandedIn();
                awaitRoom();
                return done;
            }
            waiting.remove();
        }
        return done;
    }

    private void awaitRoom() {
        if (awaitsRoom.compareAndSet(false, true)) {
            committer.onRoom(() -> {
                awaitsRoom.set(false);
                mailbox.wake();
            });
        }
    }

    /**
     * Takes over what committer and stager have answered.
     *
     * @param ended gets the letters that are durable, and those that were refused, which have no place in a quota any
     *     more
     * @return how many answers there were
     */
    int poll(Consumer<Passage> ended) {
        int done = 0;
        for (Passage passage; (passage = answers.poll()) != null; done++) {
            if (!passage.isHandedIn() && passage.refusal() == null) {
                passage.ready();
                continue;
            }
            if (!passage.isHandedIn()) { // the stager refused, and the committer never saw it
                waiting.remove(passage);
                passage.way().address().quota().release(1, passage.copyBytes());
            }
            letters--;
            bytes -= passage.bytes();
            ended.accept(passage);
        }
        return done;
    }

    /** Keeps a letter that was refused for {@link #retry}; nothing is added meanwhile. */
    void keep(Passage passage) {
        refused.add(passage);
    }

    /** Begins anew with the letters that were refused, as far as their addresses have room. */
    void retry() {
        List<Passage> again = List.copyOf(refused);
        refused.clear();
        for (Passage passage : again) {
            Address address = passage.way().address();
            if (address == null || address.quota().tryReserve(1, passage.copyBytes())) {
                begin(passage);
            } else {
                refused.add(passage);
            }
        }
    }

    boolean hasRefused() {
        return !refused.isEmpty();
    }

    /** Gives up the letters that were refused. @param each gets them */
    void giveUp(Consumer<Passage> each) {
        refused.forEach(each);
        refused.clear();
    }
}

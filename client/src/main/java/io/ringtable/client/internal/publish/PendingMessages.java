package io.ringtable.client.internal.publish;

import io.ringtable.wire.BatchFormat;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Keeps messages that wait to be sent, in order, and cuts them into transfers. Thread: the I/O thread. */
final class PendingMessages {

    /** The most bytes of a batch, beside {@link BatchFormat#MESSAGES_MAX}. */
    static final int BATCH_BYTES_MAX = 256 * 1024;

    private final ArrayDeque<Outgoing> messages = new ArrayDeque<>();
    private long bytes;

    boolean isEmpty() {
        return messages.isEmpty();
    }

    void add(Outgoing message) {
        messages.addLast(message);
        bytes += message.bytes() + BatchFormat.FRAMING_BYTES;
    }

    /** Puts unanswered messages back before all others, in their order. */
    void putBack(Collection<Transfer> transfers) {
        List<Outgoing> unanswered = new ArrayList<>();
        for (Transfer transfer : transfers) {
            if (!transfer.isAnswered()) {
                unanswered.addAll(transfer.messages());
            }
        }
        for (int i = unanswered.size() - 1; i >= 0; i--) {
            Outgoing message = unanswered.get(i);
            messages.addFirst(message);
            bytes += message.bytes() + BatchFormat.FRAMING_BYTES;
        }
    }

    /** Returns whether the waiting messages fill a whole transfer. */
    boolean isBatchFull(int messagesMax, long bytesMax) {
        return messages.size() >= messagesMax || bytes >= bytesMax;
    }

    /** Takes the messages up to a number out, which the broker has stored. */
    List<Outgoing> takeUpTo(long number) {
        List<Outgoing> taken = new ArrayList<>();
        for (Outgoing first;
                (first = messages.peekFirst()) != null && first.number() > 0 && first.number() <= number; ) {
            messages.removeFirst();
            bytes -= first.bytes() + BatchFormat.FRAMING_BYTES;
            taken.add(first);
        }
        return taken;
    }

    /**
     * Takes out the next transfer: one message, and further ones as long as the batch has room for them. Their numbers
     * follow each other.
     */
    Transfer next(int messagesMax, long bytesMax) {
        Outgoing first = messages.removeFirst();
        bytes -= first.bytes() + BatchFormat.FRAMING_BYTES;
        if (messagesMax <= 1 || messages.isEmpty() || first.bytes() + BatchFormat.FRAMING_BYTES >= bytesMax) {
            return new Transfer(List.of(first), first.bytes());
        }
        List<Outgoing> batch = new ArrayList<>(Math.min(messages.size() + 1, messagesMax));
        batch.add(first);
        long size = first.bytes();
        long framed = size + BatchFormat.FRAMING_BYTES;
        Outgoing next;
        while (batch.size() < messagesMax
                && (next = messages.peekFirst()) != null
                && (next.number() == 0 || next.number() == first.number() + batch.size())
                && framed + next.bytes() + BatchFormat.FRAMING_BYTES <= bytesMax) {
            messages.removeFirst();
            batch.add(next);
            size += next.bytes();
            framed += next.bytes() + BatchFormat.FRAMING_BYTES;
        }
        bytes -= framed - first.bytes() - BatchFormat.FRAMING_BYTES;
        return new Transfer(batch, size);
    }

    /** Takes all messages out. */
    List<Outgoing> drain() {
        List<Outgoing> all = new ArrayList<>(messages);
        messages.clear();
        bytes = 0;
        return all;
    }
}

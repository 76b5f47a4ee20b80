package io.ringtable.test;

import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.work.CommitMonitor;
import io.ringtable.broker.work.Committed;
import io.ringtable.client.Address;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Remembers what was published, in the order of the broker's commits. That includes what was consumed since, and what
 * went to a topic without subscribers.
 * <p>
 * Thread: the committer writes, tests read.
 */
final class Journal implements CommitMonitor {
    /** Bounds the memory of a test that publishes without end; its earliest messages are forgotten. */
    private static final int MESSAGES_MAX = 100_000;

    private final Deque<PublishedMessage> messages = new ArrayDeque<>(); // guarded by this

    @Override
    public void committed(List<Committed> committed) {
        synchronized (this) {
            for (Committed each : committed) {
                if (each.first()) {
                    add(each.message());
                }
            }
        }
    }

    private void add(Message message) {
        if (messages.size() == MESSAGES_MAX) {
            messages.removeFirst();
        }
        Address.Kind kind = message.address().kind() == AddressKind.QUEUE ? Address.Kind.QUEUE : Address.Kind.TOPIC;
        messages.addLast(
                new PublishedMessage(new Address(kind, message.address().name()), message.encoded()));
    }

    synchronized List<PublishedMessage> to(Address address) {
        return messages.stream()
                .filter(message -> message.address().equals(address))
                .toList();
    }

    /** Returns the messages by address, both in the order of their commits. */
    synchronized Map<Address, List<PublishedMessage>> all() {
        Map<Address, List<PublishedMessage>> all = new LinkedHashMap<>();
        for (PublishedMessage message : messages) {
            all.computeIfAbsent(message.address(), address -> new ArrayList<>()).add(message);
        }
        return all;
    }

    synchronized void clear() {
        messages.clear();
    }

    @Override
    public void reclaimed(long movedToBacklog, long nanos) {}

    @Override
    public void flushed(int messages, int settlements, long bytes, long nanos) {}

    @Override
    public void collected(int messages, int settlements, long oldestMs) {}

    @Override
    public void duplicates(int messages) {}

    @Override
    public void storeTrouble(String why) {}
}

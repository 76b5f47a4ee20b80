package io.ringtable.acceptance.freeze;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Records what the clients of a run were told, in order, and judges it. Each message has an id of its own, which ends
 * with a number of its producer. A reader is a queue, with any of its consumers, or a durable subscription.
 * <p>
 * A reader is owed every accepted message whose sending began after the reader was there. The reader may get a message
 * whose outcome the publisher never heard. It must get nothing again after a confirmed settlement, and nothing again
 * that is not flagged. A message that its client has sent again by itself may come as often as that without a flag. A
 * reader with one consumer gets the messages of each producer in their order ({@link ReaderOrder}). Messages that come
 * again, or that their clients have sent again, are not judged by that. A node that stood still may store a copy late.
 * <p>
 * Thread: any; one lock.
 */
public final class Account {
    private static final int NAMED_MAX = 20;

    private final Map<String, Message> messages = new HashMap<>();
    private final Map<String, Reader> readers = new LinkedHashMap<>();
    private final Map<String, Integer> broken = new LinkedHashMap<>(); // violations by kind
    private final List<String> violations = new ArrayList<>(); // the first ones, in words
    private final Map<String, Outcomes> producers = new TreeMap<>(); // by name
    private int event;
    private int accepted;
    private int delivered;
    private int confirmed;
    private int flagged;

    /** A message under way or stored. Its outcome is accepted, or nobody knows. */
    private static final class Message {
        final String address;
        final List<Reader> owedBy = new ArrayList<>();
        boolean isAccepted;
        int resends; // by its client: as many copies may be stored

        Message(String address) {
            this.address = address;
        }
    }

    /** Holds the messages that one reader has seen. */
    private static final class Reader {
        final String name;
        final String address;
        final Map<String, String> seen = new HashMap<>(); // by id: who received it last
        final Map<String, String> settled = new HashMap<>(); // by id: whose settlement the broker confirmed
        final Map<String, Integer> copies = new HashMap<>(); // by id: without a flag, and behind the first one
        ReaderOrder order; // null = of several consumers
        int owed;
        int arrivals;
        int flagged;
        int resent; // copies of what its client sent again
        int doubled; // neither flagged, nor sent again by their clients

        Reader(String name, String address) {
            this.name = name;
            this.address = address;
        }
    }

    /** Holds when a producer heard of outcomes. */
    private static final class Outcomes {
        long count;
        long lastNanos = System.nanoTime();
        long longestPauseNanos;
    }

    /** The event that violations from now on are named with. Pauses are measured anew. */
    public synchronized void event(int number) {
        event = number;
        producers.values().forEach(producer -> producer.longestPauseNanos = 0);
    }

    /** The broker has confirmed that the reader is there: it is owed what is sent from now on. */
    public synchronized void reads(String reader, String address) {
        readers.computeIfAbsent(reader, name -> new Reader(name, address));
    }

    /** A node stands still from now on, in this event. */
    public synchronized void nodeStandsStill() {
        readers.values().stream()
                .filter(reader -> reader.order != null)
                .forEach(reader -> reader.order.nodeStandsStill(event));
    }

    /** The reader has one consumer at a time, which stays at a node that stands still: there is order to be seen. */
    public void readsInOrder(String reader, String address) {
        readsInOrder(reader, address, 0);
    }

    /**
     * The reader has one consumer at a time: the order of each producer is to be seen.
     *
     * @param credit of a consumer that leaves a node that stands still; 0 = it stays
     */
    public synchronized void readsInOrder(String reader, String address, int credit) {
        reads(reader, address);
        readers.get(reader).order = new ReaderOrder(credit);
    }

    public synchronized void sending(String address, String id) {
        Message message = new Message(address);
        readers.values().stream()
                .filter(reader -> reader.address.equals(address))
                .forEach(message.owedBy::add);
        if (messages.put(id, message) != null) {
            throw new IllegalStateException(id + " was sent before");
        }
    }

    /** The client sends a message again that has no outcome. The broker cannot know that it is the same one. */
    public synchronized void resending(String id) {
        messages.get(id).resends++;
    }

    /** The broker has said accepted. */
    public synchronized void accepted(String id) {
        Message message = messages.get(id);
        Outcomes outcomes = producers.computeIfAbsent(producer(id), name -> new Outcomes());
        long now = System.nanoTime();
        outcomes.count++;
        outcomes.longestPauseNanos = Math.max(outcomes.longestPauseNanos, now - outcomes.lastNanos);
        outcomes.lastNanos = now;
        if (!message.isAccepted) {
            message.isAccepted = true;
            accepted++;
            for (Reader reader : message.owedBy) {
                reader.owed += reader.seen.containsKey(id) ? 0 : 1;
            }
        }
    }

    /** @param by who received it, for the words of a violation */
    public synchronized void arrived(String name, String by, String id, boolean redelivered) {
        Reader reader = readers.get(name);
        Message message = messages.get(id);
        if (message == null || !message.address.equals(reader.address)) {
            violation("never sent", name + ": " + id + " came to " + by + " and was never sent there");
            return;
        }
        delivered++;
        flagged += redelivered ? 1 : 0;
        reader.arrivals++;
        reader.flagged += redelivered ? 1 : 0;
        String before = reader.seen.put(id, by);
        if (reader.order != null) {
            reader.order.came(by, event);
        }
        if (before == null) {
            if (message.isAccepted && message.owedBy.contains(reader)) {
                reader.owed--;
            }
            if (reader.order != null
                    && !redelivered
                    && message.resends == 0) { // else a copy may have gone to a lost consumer
                requireOrder(reader, by, id);
            }
            return;
        }
        if (!redelivered && reader.copies.merge(id, 1, Integer::sum) <= message.resends) {
            reader.resent++;
            return;
        }
        String settledBy = message.resends == 0 ? reader.settled.get(id) : null; // a copy is settled by itself
        String again = name + ": " + id + " came to " + by + " after " + before;
        if (settledBy != null) {
            reader.doubled++;
            violation(
                    redelivered ? "settled and flagged again" : "settled and unflagged again",
                    again + ", though the settlement by " + settledBy + " was confirmed");
        } else if (!redelivered) {
            reader.doubled++;
            violation("repeated unflagged", again + " and is not flagged; sent again " + message.resends + " times");
        }
    }

    private void requireOrder(Reader reader, String by, String id) {
        long number = Long.parseLong(id.substring(id.lastIndexOf('/') + 1));
        String producer = producer(id);
        if (!reader.order.allows(producer, number, event)) {
            long last = reader.order.last(producer);
            String before = reader.seen.get(producer + "/" + last);
            violation(
                    "out of order",
                    reader.name + ": " + id + " came to " + by + " for the first time, after number " + last
                            + ", which came to " + before);
        }
    }

    private static String producer(String id) {
        return id.substring(0, id.lastIndexOf('/'));
    }

    /** The broker has said that the settlement is durable. */
    public synchronized void settled(String name, String by, String id) {
        if (readers.get(name).settled.put(id, by) == null) {
            confirmed++;
        }
    }

    private void violation(String kind, String text) {
        broken.merge(kind, 1, Integer::sum);
        if (violations.size() < NAMED_MAX) {
            violations.add("event " + event + ", " + kind + ": " + text);
        }
    }

    /** How many accepted messages have not come to a reader that is owed them. */
    public synchronized int undelivered() {
        return readers.values().stream().mapToInt(reader -> reader.owed).sum();
    }

    /** How many of them by reader, where there are any. */
    public synchronized Map<String, Integer> lacking() {
        Map<String, Integer> lacking = new LinkedHashMap<>();
        readers.values().stream().filter(reader -> reader.owed > 0).forEach(each -> lacking.put(each.name, each.owed));
        return lacking;
    }

    /** Whether somebody reads by that name. */
    public synchronized boolean isRead(String reader) {
        return readers.containsKey(reader);
    }

    synchronized int undelivered(String reader) {
        return readers.get(reader).owed;
    }

    /** Returns how many outcomes each producer has heard of, by its name. */
    public synchronized Map<String, Long> outcomes() {
        Map<String, Long> counts = new TreeMap<>();
        producers.forEach((name, producer) -> counts.put(name, producer.count));
        return counts;
    }

    /** Tells whether so many producers have heard of outcomes, each of so many more than before. */
    public boolean haveGoneOn(int many, Map<String, Long> before, long more) {
        Map<String, Long> now = outcomes();
        return now.size() == many
                && now.entrySet().stream()
                        .allMatch(each -> each.getValue() >= before.getOrDefault(each.getKey(), 0L) + more);
    }

    /** Returns for how long each producer waited for an outcome at most since the event began, by its name. */
    public synchronized Map<String, Long> longestPausesNanos() {
        Map<String, Long> pauses = new TreeMap<>();
        producers.forEach((name, producer) -> pauses.put(name, producer.longestPauseNanos));
        return pauses;
    }

    /** A reader: a queue has the name of its address. */
    record Owed(String name, String address) {
        boolean isQueue() {
            return name.equals(address);
        }

        String kind() {
            return isQueue() ? "queue" : "topic";
        }
    }

    synchronized List<Owed> readers() {
        return readers.values().stream()
                .map(reader -> new Owed(reader.name, reader.address))
                .toList();
    }

    /** Everything that was broken, in words, what is missing last. */
    public synchronized List<String> violations() {
        List<String> all = new ArrayList<>(violations);
        messages.forEach((id, message) -> message.owedBy.stream()
                .filter(reader -> message.isAccepted && !reader.seen.containsKey(id) && all.size() < 2 * NAMED_MAX)
                .forEach(reader -> all.add(reader.name + ": " + id + " was accepted and never came")));
        return all;
    }

    /** For people: what each reader got; late is what a node that stood still had held for a consumer that had left. */
    public synchronized String table() {
        StringBuilder text = new StringBuilder(String.format(
                "%-16s %10s %10s %10s %10s %8s %8s %8s%n",
                "reader", "messages", "arrivals", "flagged", "resent", "late", "lost", "doubled"));
        for (Reader reader : readers.values()) {
            text.append(String.format(
                    "%-16s %,10d %,10d %,10d %,10d %,8d %,8d %,8d%n",
                    reader.name,
                    reader.seen.size(),
                    reader.arrivals,
                    reader.flagged,
                    reader.resent,
                    reader.order == null ? 0 : reader.order.late(),
                    reader.owed,
                    reader.doubled));
        }
        return text.toString();
    }

    public synchronized String summary() {
        int total = undelivered()
                + broken.values().stream().mapToInt(Integer::intValue).sum();
        return "accepted " + accepted + ", delivered " + delivered + ", settlements confirmed " + confirmed
                + ", repeats flagged " + flagged + ", accepted and undelivered " + undelivered()
                + ", settled and unflagged again " + broken.getOrDefault("settled and unflagged again", 0)
                + ", settled and flagged again " + broken.getOrDefault("settled and flagged again", 0)
                + ", repeated unflagged " + broken.getOrDefault("repeated unflagged", 0)
                + ", violations " + total;
    }
}

package io.ringtable.acceptance.freeze;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Records what the clients of a run were told, in order, and judges it. Each message has an id of its own. A reader is
 * a queue, with any of its consumers, or a durable subscription.
 * <p>
 * A reader is owed every accepted message whose sending began after the reader was there. The reader may get a message
 * whose outcome the publisher never heard. It must get nothing again after a confirmed settlement, and nothing again
 * that is not flagged.
 * <p>
 * Thread: any; one lock.
 */
final class Account {
    private static final int NAMED_MAX = 20;

    private final Map<String, Message> messages = new HashMap<>();
    private final Map<String, Reader> readers = new LinkedHashMap<>();
    private final Map<String, Integer> broken = new LinkedHashMap<>(); // violations by kind
    private final List<String> violations = new ArrayList<>(); // the first ones, in words
    private int freeze;
    private int accepted;
    private int delivered;
    private int confirmed;
    private int flagged;

    /** A message under way or stored. Its outcome is accepted, or nobody knows. */
    private static final class Message {
        final String address;
        final List<Reader> owedBy = new ArrayList<>();
        boolean isAccepted;

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
        int owed;

        Reader(String name, String address) {
            this.name = name;
            this.address = address;
        }
    }

    /** The freeze that violations from now on are named with. */
    synchronized void freeze(int number) {
        freeze = number;
    }

    /** The broker has confirmed that the reader is there: it is owed what is sent from now on. */
    synchronized void reads(String reader, String address) {
        readers.computeIfAbsent(reader, name -> new Reader(name, address));
    }

    synchronized void sending(String address, String id) {
        Message message = new Message(address);
        readers.values().stream()
                .filter(reader -> reader.address.equals(address))
                .forEach(message.owedBy::add);
        if (messages.put(id, message) != null) {
            throw new IllegalStateException(id + " was sent before");
        }
    }

    /** The broker has said accepted. */
    synchronized void accepted(String id) {
        Message message = messages.get(id);
        if (!message.isAccepted) {
            message.isAccepted = true;
            accepted++;
            for (Reader reader : message.owedBy) {
                reader.owed += reader.seen.containsKey(id) ? 0 : 1;
            }
        }
    }

    /** @param by who received it, for the words of a violation */
    synchronized void arrived(String name, String by, String id, boolean redelivered) {
        Reader reader = readers.get(name);
        Message message = messages.get(id);
        if (message == null || !message.address.equals(reader.address)) {
            violation("never sent", name + ": " + id + " came to " + by + " and was never sent there");
            return;
        }
        delivered++;
        flagged += redelivered ? 1 : 0;
        String before = reader.seen.put(id, by);
        if (before == null && message.isAccepted && message.owedBy.contains(reader)) {
            reader.owed--;
        }
        String settledBy = reader.settled.get(id);
        String again = name + ": " + id + " came to " + by + " after " + before;
        if (settledBy != null) {
            violation(
                    redelivered ? "settled and flagged again" : "settled and unflagged again",
                    again + ", though the settlement by " + settledBy + " was confirmed");
        } else if (before != null && !redelivered) {
            violation("repeated unflagged", again + " and is not flagged");
        }
    }

    /** The broker has said that the settlement is durable. */
    synchronized void settled(String name, String by, String id) {
        if (readers.get(name).settled.put(id, by) == null) {
            confirmed++;
        }
    }

    private void violation(String kind, String text) {
        broken.merge(kind, 1, Integer::sum);
        if (violations.size() < NAMED_MAX) {
            violations.add("freeze " + freeze + ", " + kind + ": " + text);
        }
    }

    /** How many accepted messages have not come to a reader that is owed them. */
    synchronized int undelivered() {
        return readers.values().stream().mapToInt(reader -> reader.owed).sum();
    }

    /** How many of them by reader, where there are any. */
    synchronized Map<String, Integer> lacking() {
        Map<String, Integer> lacking = new LinkedHashMap<>();
        readers.values().stream().filter(reader -> reader.owed > 0).forEach(each -> lacking.put(each.name, each.owed));
        return lacking;
    }

    synchronized int undelivered(String reader) {
        return readers.get(reader).owed;
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
    synchronized List<String> violations() {
        List<String> all = new ArrayList<>(violations);
        messages.forEach((id, message) -> message.owedBy.stream()
                .filter(reader -> message.isAccepted && !reader.seen.containsKey(id) && all.size() < 2 * NAMED_MAX)
                .forEach(reader -> all.add(reader.name + ": " + id + " was accepted and never came")));
        return all;
    }

    synchronized String summary() {
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

package io.ringtable.broker.job;

import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.consumer.LetterOrigin;
import io.ringtable.broker.dispatch.consumer.MessageFormat;
import io.ringtable.broker.job.JobRequest.Action;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;

/**
 * Decides where the letters of a job go. A letter that goes back goes to the queue, or to the one subscription, that
 * gave it up. Nobody else gets it a second time.
 * <p>
 * Thread: any; the catalogue may change between two calls.
 */
final class LetterRoute {
    private final JobDoors doors;
    private final CatalogLookup lookup;
    private final MessageFormat format;
    private final Action action;
    private final Address target;

    /**
     * Shows where one letter goes.
     *
     * @param address null if the letter goes nowhere: it is deleted, or {@code refusal} says why it stays
     * @param recipient the one subscription of the address that gets it; null = everybody
     * @param revives whether it arrives without what says that it died
     */
    record Way(Address address, Subscription recipient, boolean revives, Refusal refusal) {
        private static final Way NOWHERE = new Way(null, null, false, null);

        private static Way none(String code, String text) {
            return new Way(null, null, false, new Refusal(Refusal.Reason.NOT_FOUND, code, text));
        }
    }

    /** @param target null = each letter goes back, or is deleted */
    LetterRoute(JobDoors doors, Action action, Address target) {
        this.doors = doors;
        this.lookup = doors.shard().lookup();
        this.format = doors.format();
        this.action = action;
        this.target = target;
    }

    /** Tells whether all letters have the same way. */
    boolean isOne() {
        return target != null || action != Action.REDRIVE;
    }

    Way of(Message letter) {
        return switch (action) {
            case DELETE -> Way.NOWHERE;
            case MOVE, COPY -> new Way(target, null, false, null);
            case REDRIVE -> redrive(format.origin(letter.encoded()));
        };
    }

    private Way redrive(LetterOrigin origin) {
        if (target != null) {
            return new Way(target, null, origin != null, null);
        }
        if (origin == null) {
            return Way.none("RT-7120", "a message does not say that it died: name the address that gets it (to)");
        }
        Address address = lookup.find(origin.address());
        boolean isElsewhere = address == null
                ? doors.anywhere().apply(origin.address()) != null
                : address.quota().isClosed();
        if (isElsewhere) {
            return Way.none(
                    "RT-4492",
                    "a letter of shard " + doors.home().number() + " came from '" + Printable.value(origin.address())
                            + "', which another shard has today: consume it and publish it again");
        }
        if (address == null) {
            return Way.none(
                    "RT-7121",
                    "a letter came from '" + Printable.value(origin.address())
                            + "', which is gone: create it, or name another address (to)");
        }
        boolean ofQueue = origin.subscription().isEmpty();
        if (ofQueue != address.isQueue()) {
            return Way.none(
                    "RT-7122",
                    "a letter came from a " + (ofQueue ? "queue" : "topic") + ", and today there is " + address
                            + ": name the address that gets it (to)");
        }
        return ofQueue ? new Way(address, null, true, null) : toSubscription(origin, address);
    }

    private Way toSubscription(LetterOrigin origin, Address topic) {
        if (origin.clientId() == null) {
            return Way.none(
                    "RT-7123",
                    "a letter of subscription '" + Printable.value(origin.subscription()) + "' of " + topic
                            + " is of an earlier version and does not say of which client: to='"
                            + Printable.value(topic.name()) + "' sends it to all subscriptions");
        }
        Subscription gaveUp = lookup.find(origin.clientId(), origin.subscription());
        if (gaveUp == null || !gaveUp.address().equals(topic)) {
            return Way.none(
                    "RT-7124",
                    "subscription '" + Printable.value(origin.subscription()) + "' of client '"
                            + Printable.value(origin.clientId()) + "' on " + topic
                            + " is gone: have its client subscribe, or name the address that gets its letters (to)");
        }
        return new Way(topic, gaveUp, true, null);
    }
}

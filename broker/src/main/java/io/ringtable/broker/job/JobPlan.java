package io.ringtable.broker.job;

import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.Parts;
import io.ringtable.broker.job.JobRequest.Action;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ring.ShardIds;

/**
 * Finds in the catalogue what a request names.
 *
 * @param source the subscription whose messages are taken or shown
 * @param target null = each message goes back to where it came from, or nobody gets any
 * @param filter null = every message
 */
record JobPlan(Subscription source, Address target, Selector filter) {
    private static final int RATE_MAX = 1_000_000;

    /** @throws Refusal.Refused if the request makes no sense, or names what is not there */
    static JobPlan of(JobRequest request, JobDoors doors) {
        checkNumbers(request);
        checkTimes(request);
        CatalogLookup lookup = doors.shard().lookup();
        Address from = existing(doors, request.from(), "RT-7111", "from");
        Subscription source = from.isQueue() ? lookup.readerOf(from) : subscription(lookup, from, request);
        if (source == null) {
            throw refused(Refusal.Reason.NOT_FOUND, "RT-7135", "from: " + from + " was deleted a moment ago");
        }
        Address target = target(doors, from, request);
        return new JobPlan(source, target, filter(request, doors));
    }

    private static void checkNumbers(JobRequest request) {
        if (request.rate() < 0 || request.rate() > RATE_MAX || request.max() < 0) {
            throw refused(
                    Refusal.Reason.INVALID,
                    "RT-7112",
                    "rate=" + request.rate() + ", max=" + request.max() + ": a rate is 1 to " + RATE_MAX
                            + " messages per second, and max is 1 or more; leave out what has no limit");
        }
    }

    private static void checkTimes(JobRequest request) {
        try {
            if (LetterFilter.since(request) <= LetterFilter.until(request)) {
                return;
            }
        } catch (ArithmeticException beyondMs) {
            // Nothing was published then.
        }
        throw refused(
                Refusal.Reason.INVALID,
                "RT-7740",
                "since=" + request.since() + ", until=" + request.until()
                        + ": no message is of that time; since is the earlier of both, leave out what has no bound");
    }

    private static Subscription subscription(CatalogLookup lookup, Address topic, JobRequest request) {
        if (request.subscription() < 0) {
            throw inMemory("subscription", "subscription " + request.subscription() + " lives in memory");
        }
        for (Subscription each : lookup.subscriptionsOf(topic)) {
            if (each.id() == request.subscription() && !each.isRetention()) {
                return each;
            }
        }
        throw refused(
                Refusal.Reason.NOT_FOUND,
                "RT-7113",
                topic + " has no durable subscription with id " + request.subscription()
                        + ": a job takes the messages of one subscription, name its id");
    }

    private static Address target(JobDoors doors, Address from, JobRequest request) {
        boolean needs = request.action() == Action.MOVE || request.action() == Action.COPY;
        if (request.to() == null) {
            if (needs) {
                throw refused(Refusal.Reason.INVALID, "RT-7114", "the job names no address that gets the messages: to");
            }
            return null;
        }
        if (request.action() == Action.DELETE) {
            throw refused(
                    Refusal.Reason.INVALID,
                    "RT-7115",
                    "to='" + Printable.value(request.to()) + "', but what is deleted goes nowhere: leave it out");
        }
        Address to = existing(doors, request.to(), "RT-7116", "to");
        if (to.equals(from)) {
            throw refused(
                    Refusal.Reason.INVALID,
                    "RT-7117",
                    "the messages of " + from + " would go to " + to + ": name another address");
        }
        Parts parts = doors.shard().partsOf(to);
        if (parts != null) {
            throw refused(
                    Refusal.Reason.NOT_ALLOWED,
                    "RT-4530",
                    "to: " + to + " has " + parts.all().size() + " parts, of which the key of each message chooses one,"
                            + " and a job moves messages within one shard. Consume them and publish them again");
        }
        return to;
    }

    private static Address existing(JobDoors doors, String name, String code, String field) {
        Address address = doors.shard().lookup().find(name);
        Address elsewhere = address == null ? doors.anywhere().apply(name) : null;
        if (elsewhere != null) {
            throw refused(
                    Refusal.Reason.NOT_ALLOWED,
                    "RT-7145",
                    field + ": " + elsewhere + " lives in shard " + ShardIds.shardOf(elsewhere.id())
                            + ", and this job in " + doors.home().number()
                            + "; a job moves messages within one shard: name an address of the same");
        }
        if (address != null && address.isTemporary()) {
            throw inMemory(field, address + " is temporary");
        }
        if (address == null) {
            throw refused(
                    Refusal.Reason.NOT_FOUND,
                    code,
                    field + ": there is no stored address '" + Printable.value(name) + "'; a job makes none");
        }
        return address;
    }

    private static Refusal.Refused inMemory(String field, String what) {
        return refused(
                Refusal.Reason.INVALID,
                "RT-7741",
                field + ": " + what + ", and a job must go on after a restart: name what is stored. Single messages in"
                        + " memory are copied and deleted by /messages/{sequence}?subscription=");
    }

    private static Selector filter(JobRequest request, JobDoors doors) {
        Selector selector = null;
        try {
            if (request.selector() != null) {
                selector = doors.selectors().compile(request.selector());
            }
        } catch (IllegalArgumentException e) {
            throw refused(Refusal.Reason.INVALID, "RT-7118", e.getMessage());
        }
        return LetterFilter.of(request, selector, doors.format());
    }

    private static Refusal.Refused refused(Refusal.Reason reason, String code, String text) {
        return new Refusal.Refused(new Refusal(reason, code, text));
    }
}

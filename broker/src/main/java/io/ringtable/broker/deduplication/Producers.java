package io.ringtable.broker.deduplication;

import io.ringtable.broker.catalog.OwnerShares;
import io.ringtable.broker.catalog.Producer;
import io.ringtable.broker.catalog.ProducerEntry;
import io.ringtable.broker.config.CommitProperties;
import io.ringtable.broker.durability.CatalogWriter;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.store.CatalogChange;
import io.ringtable.broker.store.ProducerRow;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Opens producers: the first time as a row, later as the next incarnation, which fences the one before. Forgets unused
 * producers when a new one needs their place.
 * <p>
 * Thread: committer, between flushes; each change is durable before its answer. Any calls {@link #ids}.
 */
public final class Producers {
    /** The prefix of replays when they stood among the producers. No publisher ever had such a name. */
    private static final String RESERVED = "$replay:";

    /** The most producers that one transaction forgets. */
    private static final int FORGET_MAX = 1_000;

    private final Deduplicator known;
    private final CatalogWriter writer;
    private final CommitProperties settings;
    private final LongSupplier clockMs;

    /** @param clockMs ms since the epoch */
    public Producers(Deduplicator known, CatalogWriter writer, CommitProperties settings, LongSupplier clockMs) {
        this.known = known;
        this.writer = writer;
        this.settings = settings;
        this.clockMs = clockMs;
    }

    /**
     * Opens a producer, or an incarnation that its publisher has already.
     *
     * @param incarnation 0 = the next one
     * @param owner the user or host whose share a new producer counts against; null = none
     * @param fencesOthers whether a link of another owner may be fenced
     */
    public Producer attend(
            Address address, String name, long incarnation, String owner, boolean fencesOthers, Runnable fenced) {
        if (address.isTemporary()) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_ALLOWED,
                    "RT-4103",
                    address + " is temporary: the broker does not store its messages, and cannot deduplicate them"));
        }
        if (name.startsWith(RESERVED)) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_ALLOWED,
                    "RT-4111",
                    "producer ids like '" + name + "' are the broker's own: use another one"));
        }
        ProducerNumbers found = known.find(address, name);
        if (found != null && !fencesOthers && found.isHeldByAnother(owner)) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_PERMITTED,
                    "RT-4354",
                    found + " is in use by another user: give each publisher a producer id of its own"));
        }
        if (incarnation == 0) {
            return (found == null ? create(address, name, owner) : reopen(found)).hold(owner, fenced);
        }
        if (found == null || incarnation > found.incarnation()) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_FOUND,
                    "RT-4105",
                    "there is no incarnation " + incarnation + " of producer '" + name + "' of " + address
                            + " any more: it was unused and forgotten, or the database was restored"));
        }
        if (incarnation < found.incarnation()) {
            throw new Refusal.Refused(Deduplicator.fenced(found));
        }
        return found.hold(owner, fenced);
    }

    public Void leave(Producer producer) {
        known.left(producer);
        return null;
    }

    /** Forgets a producer that no link attends: messages that it sends again would be stored again. */
    public Void forget(Address address, String name) {
        ProducerNumbers found = known.find(address, name);
        if (found == null) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_FOUND,
                    "RT-4378",
                    "there is no producer '" + Printable.value(name) + "' of " + address + ": list those that there"
                            + " are"));
        }
        if (found.isHeld()) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.IN_USE,
                    "RT-4379",
                    found + " is attended by a link of " + found.entry().attendedBy() + ": close that link first"));
        }
        forget(List.of(found));
        return null;
    }

    // ---- for operators

    /**
     * Returns ids of producers in their order. Thread: any.
     *
     * @param after the ids are higher
     * @param address of the producers; null = all
     * @param filter lower-case text in the name of a producer; null = all
     */
    public List<Long> ids(long after, int most, Address address, String filter) {
        return known.producers().stream()
                .filter(producer -> producer.id() > after)
                .filter(producer -> address == null || address.equals(producer.address()))
                .filter(producer -> filter == null
                        || producer.name().toLowerCase(Locale.ROOT).contains(filter))
                .mapToLong(ProducerNumbers::id)
                .sorted()
                .limit(most)
                .boxed()
                .toList();
    }

    /** Describes the producers that still are. */
    public List<ProducerEntry> entries(List<Long> ids) {
        return ids.stream()
                .map(known::find)
                .filter(Objects::nonNull)
                .map(ProducerNumbers::entry)
                .toList();
    }

    private ProducerNumbers create(Address address, String name, String owner) {
        if (known.size() >= settings.producersMax() && !forgetUnused(producer -> true)) {
            throw full("the shard has " + known.size() + " producers, ringtable.commit.producers-max="
                    + settings.producersMax());
        }
        int share = OwnerShares.shareOf(settings.producersMax());
        if (known.producersOf(owner) >= share && !forgetUnused(producer -> owner.equals(producer.owner()))) {
            throw full(owner + " has made " + share + " producers, half of ringtable.commit.producers-max="
                    + settings.producersMax());
        }
        ProducerRow row = new ProducerRow(writer.nextId(), address.id(), name, 1, 0, clockMs.getAsLong());
        writer.write(
                List.of(new CatalogChange.CreateProducer(row)),
                1,
                tables -> tables.producers().stream().anyMatch(found -> found.producerId() == row.producerId()));
        ProducerNumbers created = new ProducerNumbers(row, address, owner);
        known.add(created);
        return created;
    }

    /** Fences the incarnation before: the application has restarted, or another one has chosen the same name. */
    private ProducerNumbers reopen(ProducerNumbers producer) {
        long next = producer.incarnation() + 1;
        long now = clockMs.getAsLong();
        writer.write(
                List.of(new CatalogChange.ReopenProducer(producer.id(), next, now)),
                0,
                tables -> tables.producers().stream()
                        .anyMatch(row -> row.producerId() == producer.id() && row.incarnation() == next));
        producer.reopened(next, now);
        return producer;
    }

    private Refusal.Refused full(String why) {
        return new Refusal.Refused(new Refusal(
                Refusal.Reason.LIMIT,
                "RT-4102",
                why + ", and none of them has been unused for ringtable.commit.producer-retention="
                        + settings.producerRetention()
                        + ": raise the one or lower the other"));
    }

    /**
     * Forgets producers that no link holds and that no publisher has used for the time of retention.
     *
     * @return false if there is none
     */
    private boolean forgetUnused(Predicate<ProducerNumbers> which) {
        long before = clockMs.getAsLong() - settings.producerRetention().toMillis();
        List<ProducerNumbers> unused = known.producers().stream()
                .filter(producer -> !producer.isHeld() && producer.usedAt() <= before && which.test(producer))
                .limit(FORGET_MAX)
                .toList();
        if (unused.isEmpty()) {
            return false;
        }
        forget(unused);
        return true;
    }

    private void forget(List<ProducerNumbers> unused) {
        writer.write(
                unused.stream()
                        .<CatalogChange>map(producer -> new CatalogChange.ForgetProducer(producer.id()))
                        .toList(),
                0,
                tables -> tables.producers().stream()
                        .noneMatch(row -> row.producerId() == unused.get(0).id()));
        unused.forEach(known::remove);
    }
}

package io.ringtable.broker.deduplication;

import io.ringtable.broker.catalog.OwnerShares;
import io.ringtable.broker.catalog.Producer;
import io.ringtable.broker.catalog.ProducerEntry;
import io.ringtable.broker.catalog.ProducerUser;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens producers: the first time as a row, later as the next incarnation, which fences the one before. The first user
 * of a producer owns it, and nobody else opens it. Forgets unused producers when a new one needs their place.
 * <p>
 * Thread: committer, between flushes; each change is durable before its answer. Any calls {@link #ids}.
 */
public final class Producers {
    /** The audit log, to which administration writes too. */
    private static final Logger AUDIT = LoggerFactory.getLogger("ringtable.audit");

    /** The prefix of replays when they stood among the producers. No publisher ever had such a name. */
    private static final String RESERVED = "$replay:";

    /** How long an unused producer of a relay stays: no node waits so long for the next owner of a shard. */
    private static final long RELAY_RETENTION_MS = 60_000;

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
     */
    public Producer attend(ProducerUser user, Address address, String name, long incarnation, Runnable fenced) {
        if (address.isTemporary()) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_ALLOWED,
                    "RT-4103",
                    address + " is temporary: the broker does not store its messages, and cannot deduplicate them"));
        }
        if (name.startsWith(RESERVED) || Producer.isOfRelay(name) && !user.isRelay()) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_ALLOWED,
                    "RT-4111",
                    "producer ids like '" + name + "' are the broker's own: use another one"));
        }
        ProducerNumbers found = known.find(address, name);
        if (user.isRelay()) {
            return attendForRelay(user, address, name, incarnation, found).hold(null, fenced);
        }
        if (found != null && !user.mayOpen(found.owner())) {
            throw new Refusal.Refused(
                    new Refusal(Refusal.Reason.NOT_PERMITTED, ProducerUser.NOT_YOURS, user.notYours(found)));
        }
        if (incarnation == 0) {
            ProducerNumbers opened =
                    found == null ? create(user, address, name, 1) : reopen(found, found.incarnation() + 1, user);
            return opened.hold(user.share(), fenced);
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
        if (becomesOwner(user, found)) {
            reopen(found, incarnation, user);
        }
        return found.hold(user.share(), fenced);
    }

    /**
     * Finds or makes the producer of a link that another node passes on. Opening one writes nothing unless it is new,
     * since clients may make a link for each message.
     *
     * @param incarnation with which a link comes back whose transfers may be stored: it fences the one before. 0 =
     *     another link begins with the producer, which is refused while one has it
     */
    private ProducerNumbers attendForRelay(
            ProducerUser user, Address address, String name, long incarnation, ProducerNumbers found) {
        if (found == null) {
            return create(user, address, name, clockMs.getAsLong()); // never that of one that was forgotten
        }
        if (incarnation == 0 && found.isHeld()) {
            throw new Refusal.Refused(
                    new Refusal(Refusal.Reason.IN_USE, "RT-4666", found + " has a link that another node passes on"));
        }
        if (incarnation != 0 && incarnation != found.incarnation()) {
            throw new Refusal.Refused(Deduplicator.fenced(found));
        }
        return found;
    }

    private static boolean becomesOwner(ProducerUser user, ProducerNumbers producer) {
        return producer.owner() == null && !user.name().isEmpty();
    }

    public Void leave(Producer producer) {
        known.left(producer);
        return null;
    }

    /** Forgets a producer that no link attends: messages that it sends again would be stored again. */
    public Void forget(Address address, String name) {
        ProducerNumbers found = known.find(address, name);
        if (found == null || found.isOfRelay()) {
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
     * Returns ids of the producers of applications in their order. Thread: any.
     *
     * @param after the ids are higher
     * @param address of the producers; null = all
     * @param filter lower-case text in the name of a producer; null = all
     */
    public List<Long> ids(long after, int most, Address address, String filter) {
        return known.producers().stream()
                .filter(producer -> producer.id() > after && !producer.isOfRelay())
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

    private ProducerNumbers create(ProducerUser user, Address address, String name, long incarnation) {
        if (known.size() >= settings.producersMax() && !forgetUnused(producer -> true)) {
            throw full("the shard has " + known.size() + " producers, ringtable.commit.producers-max="
                    + settings.producersMax());
        }
        String share = user.share();
        int most = OwnerShares.shareOf(settings.producersMax());
        if (known.producersOf(share) >= most && !forgetUnused(producer -> share.equals(producer.share()))) {
            throw full((user.isRelay() ? "other nodes have" : share + " has") + " made " + most
                    + " producers, half of ringtable.commit.producers-max=" + settings.producersMax());
        }
        String owner = user.name().isEmpty() ? null : user.name();
        ProducerRow row =
                new ProducerRow(writer.nextId(), address.id(), name, incarnation, 0, clockMs.getAsLong(), owner);
        writer.write(
                List.of(new CatalogChange.CreateProducer(row)),
                1,
                tables -> tables.producers().stream().anyMatch(found -> found.producerId() == row.producerId()));
        ProducerNumbers created = new ProducerNumbers(row, address, share);
        known.add(created);
        return created;
    }

    /**
     * Gives a producer to a user if it is nobody's. The next incarnation fences the one before: the application has
     * restarted, or another one has chosen the same name.
     */
    private ProducerNumbers reopen(ProducerNumbers producer, long incarnation, ProducerUser user) {
        boolean becomesOwner = becomesOwner(user, producer);
        String owner = becomesOwner ? user.name() : producer.owner();
        CatalogChange.ReopenProducer change =
                new CatalogChange.ReopenProducer(producer.id(), incarnation, clockMs.getAsLong(), owner);
        writer.write(List.of(change), 0, tables -> tables.producers().stream().anyMatch(row -> isWritten(change, row)));
        producer.reopened(change);
        if (becomesOwner) {
            AUDIT.info("{} opened {}, which was nobody's and is of this user from now on", user.from(), producer);
        }
        return producer;
    }

    private static boolean isWritten(CatalogChange.ReopenProducer change, ProducerRow row) {
        return row.producerId() == change.producerId()
                && row.incarnation() == change.incarnation()
                && Objects.equals(row.owner(), change.owner());
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
        long now = clockMs.getAsLong();
        long before = now - settings.producerRetention().toMillis();
        long ofRelays = Math.max(before, now - RELAY_RETENTION_MS);
        List<ProducerNumbers> unused = known.producers().stream()
                .filter(producer -> !producer.isHeld()
                        && producer.usedAt() <= (producer.isOfRelay() ? ofRelays : before)
                        && which.test(producer))
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

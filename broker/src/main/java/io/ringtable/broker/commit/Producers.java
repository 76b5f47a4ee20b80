package io.ringtable.broker.commit;

import io.ringtable.broker.catalog.Address;
import io.ringtable.broker.catalog.Producer;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.store.CatalogChange;
import io.ringtable.broker.store.ProducerRow;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Opens producers: the first time as a row, later as the next incarnation, which fences the one before; forgets those that nobody
 * uses when their place is needed.
 * <p>
 * Thread: committer, between flushes; what changes is durable before it is answered.
 */
final class Producers {
    /** What replays were called while they stood among the producers: no publisher was ever called so. */
    private static final String RESERVED = "$replay:";

    /** That are forgotten in one transaction. */
    private static final int FORGET_MAX = 1_000;

    private final RingState state;
    private final Alterations alterations;
    private final CommitSettings settings;
    private final LongSupplier clockMs;

    /** @param clockMs ms since the epoch */
    Producers(RingState state, Alterations alterations, CommitSettings settings, LongSupplier clockMs) {
        this.state = state;
        this.alterations = alterations;
        this.settings = settings;
        this.clockMs = clockMs;
    }

    /**
     * @param incarnation 0 = the next one
     * @param owner who answers for it if it is created; null = nobody
     */
    Producer attend(Address address, String name, long incarnation, String owner, Runnable fenced) {
        if (address.isTemporary()) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_ALLOWED,
                    "RT-4103",
                    address + " is temporary: what is published to it is not stored, and cannot be stored once"));
        }
        if (name.startsWith(RESERVED)) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_ALLOWED,
                    "RT-4111",
                    "producer ids like '" + name + "' are the broker's own: use another one"));
        }
        Numbering known = state.once().find(address, name);
        if (incarnation == 0) {
            return (known == null ? create(address, name, owner) : reopen(known)).hold(fenced);
        }
        if (known == null || incarnation > known.incarnation()) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_FOUND,
                    "RT-4105",
                    "there is no incarnation " + incarnation + " of producer '" + name + "' of " + address
                            + " any more: it was not used for long and forgotten, or the database was restored"));
        }
        if (incarnation < known.incarnation()) {
            throw new Refusal.Refused(StoredOnce.fenced(known));
        }
        return known.hold(fenced);
    }

    private Numbering create(Address address, String name, String owner) {
        if (state.once().producers().size() >= settings.producersMax() && !forgetUnused(producer -> true)) {
            throw full("the shard has " + state.once().producers().size() + " producers, commit.producers-max="
                    + settings.producersMax());
        }
        int share = OwnerShares.shareOf(settings.producersMax());
        if (state.once().producersOf(owner) >= share && !forgetUnused(producer -> owner.equals(producer.owner()))) {
            throw full(owner + " has made " + share + " producers, half of commit.producers-max="
                    + settings.producersMax());
        }
        ProducerRow row = new ProducerRow(state.nextId(), address.id(), name, 1, 0, clockMs.getAsLong());
        alterations.make(
                List.of(new CatalogChange.CreateProducer(row)),
                1,
                tables -> tables.producers().stream().anyMatch(found -> found.producerId() == row.producerId()));
        Numbering created = new Numbering(row, address, owner);
        state.once().add(created);
        return created;
    }

    /** Its application has restarted, or another one has chosen the same name: whoever came before is fenced. */
    private Numbering reopen(Numbering known) {
        long next = known.incarnation() + 1;
        long now = clockMs.getAsLong();
        alterations.make(
                List.of(new CatalogChange.ReopenProducer(known.id(), next, now)),
                0,
                tables -> tables.producers().stream()
                        .anyMatch(row -> row.producerId() == known.id() && row.incarnation() == next));
        known.reopened(next, now);
        return known;
    }

    private Refusal.Refused full(String why) {
        return new Refusal.Refused(new Refusal(
                Refusal.Reason.LIMIT,
                "RT-4102",
                why + ", and none of them was unused for commit.producer-retention=" + settings.producerRetention()
                        + ": raise the one or lower the other"));
    }

    /**
     * Forgets producers that no link holds and that nobody has used for the time of retention.
     *
     * @return false if there is none
     */
    private boolean forgetUnused(Predicate<Numbering> which) {
        long before = clockMs.getAsLong() - settings.producerRetention().toMillis();
        List<Numbering> unused = state.once().producers().stream()
                .filter(producer -> !producer.isHeld() && producer.usedAt() <= before && which.test(producer))
                .limit(FORGET_MAX)
                .toList();
        if (unused.isEmpty()) {
            return false;
        }
        alterations.make(
                unused.stream()
                        .<CatalogChange>map(producer -> new CatalogChange.ForgetProducer(producer.id()))
                        .toList(),
                0,
                tables -> tables.producers().stream()
                        .noneMatch(row -> row.producerId() == unused.get(0).id()));
        unused.forEach(state.once()::remove);
        return true;
    }
}

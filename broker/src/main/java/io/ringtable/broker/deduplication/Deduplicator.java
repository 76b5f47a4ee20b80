package io.ringtable.broker.deduplication;

import io.ringtable.broker.catalog.OwnerShares;
import io.ringtable.broker.catalog.Producer;
import io.ringtable.broker.catalog.StoredOnce;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.DuplicateId;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.ProducerRow;
import io.ringtable.broker.work.Deduplication;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Decides which messages are stored already, by the numbers of producers and the ids of addresses. Knows them from the
 * tables, and adds those of the open flush. Additions count for later messages of the same flush, whose outcome is its
 * own, and go back with it.
 * <p>
 * Thread: committer; before it starts, the housekeeper during recovery.
 */
public final class Deduplicator {
    private record Name(long addressId, String producer) {}

    private final Map<Name, ProducerNumbers> byName = new HashMap<>();
    private final Map<Long, ProducerNumbers> byId = new ConcurrentHashMap<>(); // read by any
    private final OwnerShares shares = new OwnerShares(); // of producers
    private final Map<Long, RecentDuplicateIds> idsByAddress = new HashMap<>();
    // until the number of kept ids is known
    private final Map<Long, List<Flush.DuplicateId>> recovered = new HashMap<>();
    private final Set<ProducerNumbers> numbersStaged = new LinkedHashSet<>();
    private final Set<RecentDuplicateIds> idsStaged = new LinkedHashSet<>();
    private int idsMax;

    public void recovered(ProducerRow row, Address address) {
        add(new ProducerNumbers(row, address, null));
    }

    public void recovered(Flush.DuplicateId row) {
        recovered.computeIfAbsent(row.addressId(), id -> new ArrayList<>()).add(row);
    }

    /** @param duplicateIds number of ids kept for each address; 0 = none */
    public void begin(int duplicateIds) {
        idsMax = duplicateIds;
        if (duplicateIds > 0) {
            recovered.forEach((addressId, rows) ->
                    idsByAddress.put(addressId, RecentDuplicateIds.recovered(addressId, duplicateIds, rows)));
        }
        recovered.clear();
    }

    // ---- producers

    /** Returns the producer of that name; null if there is none. */
    public ProducerNumbers find(Address address, String producer) {
        return byName.get(new Name(address.id(), producer));
    }

    public void add(ProducerNumbers numbering) {
        byName.put(new Name(numbering.address().id(), numbering.name()), numbering);
        byId.put(numbering.id(), numbering);
        shares.took(numbering.share());
    }

    public void remove(ProducerNumbers numbering) {
        byName.remove(new Name(numbering.address().id(), numbering.name()));
        byId.remove(numbering.id());
        shares.gaveBack(numbering.share());
    }

    /** Returns how many known producers a user or host has made. */
    int producersOf(String share) {
        return shares.of(share);
    }

    /** Returns the producer of that id; null if there is none. */
    ProducerNumbers find(long id) {
        return byId.get(id);
    }

    /** Returns the known producers; any thread may read their ids, names and addresses. */
    public Collection<ProducerNumbers> producers() {
        return byId.values();
    }

    /** Returns the number of known producers, a little behind. Thread: any. */
    public int size() {
        return byId.size();
    }

    public void left(Producer producer) {
        ProducerNumbers numbering = byId.get(producer.id());
        if (numbering != null) {
            numbering.left(producer);
        }
    }

    /** Returns what the address knows, between two flushes. */
    public StoredOnce storedOnce(Address address) {
        RecentDuplicateIds ids = idsByAddress.get(address.id());
        return new StoredOnce(
                byId.values().stream()
                        .filter(numbering -> numbering.address().equals(address))
                        .map(ProducerNumbers::numbers)
                        .toList(),
                ids == null ? List.of() : ids.all());
    }

    /** Takes over ids that an address had in another shard. @param rows oldest first */
    public void received(Address address, List<Flush.DuplicateId> rows) {
        if (idsMax > 0 && !rows.isEmpty()) {
            idsByAddress.put(address.id(), RecentDuplicateIds.recovered(address.id(), idsMax, rows));
        }
    }

    /** Takes over a producer that published to the address in another shard. */
    public void received(ProducerRow row, Address address) {
        add(new ProducerNumbers(row, address, null));
    }

    /** Forgets an address that is gone, with its producers and its ids. */
    public void forget(Address gone) {
        idsByAddress.remove(gone.id());
        if (gone.isTemporary()) {
            return; // a temporary address has no producers, and a client may delete thousands of them
        }
        byId.values().stream()
                .filter(numbering -> numbering.address().equals(gone))
                .toList()
                .forEach(this::remove);
    }

    // ---- the open flush

    /** @return null, or why the committer can store none of the messages */
    public Refusal refusal(Deduplication once) {
        if (once.producer() == null) {
            return null;
        }
        ProducerNumbers numbering = byId.get(once.producer().id());
        if (numbering == null || !numbering.isHeldBy(once.producer())) {
            return fenced(numbering == null ? once.producer() : numbering);
        }
        long last = numbering.last();
        return once.first() <= last || numbering.isNext(once.previous())
                ? null
                : new Refusal(
                        Refusal.Reason.OUT_OF_ORDER,
                        Producer.OUT_OF_ORDER,
                        "message " + once.first() + " of " + numbering + " follows " + once.previous() + ", and "
                                + last + " is the last one that is stored: one between them was refused, send this one"
                                + " again");
    }

    public static Refusal fenced(Object producer) {
        return new Refusal(
                Refusal.Reason.NOT_ALLOWED,
                "RT-4101",
                producer + " was opened anew elsewhere, and this publisher is fenced: give each publisher an id"
                        + " of its own");
    }

    /** @return whether to store the message: false if it is stored, durably or by the open flush */
    public boolean stage(Deduplication once, int index, Message message) {
        if (once.producer() != null && !stageNumber(once, index, message)) {
            return false;
        }
        DuplicateId id = once.id(index);
        return id == null || idsMax == 0 || stageId(id, message.address());
    }

    private boolean stageNumber(Deduplication once, int index, Message message) {
        ProducerNumbers numbering = byId.get(once.producer().id());
        long number = once.first() + index;
        if (number <= numbering.last()) {
            return false;
        }
        numbering.stage(number, message.publishedAt());
        numbersStaged.add(numbering);
        return true;
    }

    private boolean stageId(DuplicateId id, Address address) {
        RecentDuplicateIds ids =
                idsByAddress.computeIfAbsent(address.id(), addressId -> new RecentDuplicateIds(addressId, idsMax));
        idsStaged.add(ids);
        return ids.stage(id);
    }

    public List<Flush.Produced> produced() {
        return numbersStaged.isEmpty()
                ? List.of()
                : numbersStaged.stream().map(ProducerNumbers::row).toList();
    }

    /**
     * Returns the ids that the open flush writes. Ids of temporary addresses stay in memory; those addresses have
     * negative ids.
     */
    public List<Flush.DuplicateId> duplicateIds() {
        if (idsStaged.isEmpty()) {
            return List.of();
        }
        List<Flush.DuplicateId> rows = new ArrayList<>();
        for (RecentDuplicateIds ids : idsStaged) {
            ids.forEachStaged(row -> {
                if (row.addressId() >= 0) {
                    rows.add(row);
                }
            });
        }
        return rows;
    }

    public void commit() {
        numbersStaged.forEach(ProducerNumbers::commit);
        idsStaged.forEach(RecentDuplicateIds::commit);
        numbersStaged.clear();
        idsStaged.clear();
    }

    public void rollBack() {
        numbersStaged.forEach(ProducerNumbers::rollBack);
        idsStaged.forEach(RecentDuplicateIds::rollBack);
        numbersStaged.clear();
        idsStaged.clear();
    }
}

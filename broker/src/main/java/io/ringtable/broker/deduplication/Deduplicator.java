package io.ringtable.broker.deduplication;

import io.ringtable.broker.catalog.OwnerShares;
import io.ringtable.broker.catalog.Producer;
import io.ringtable.broker.catalog.Replay;
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
 * Decides which messages are stored already: by the numbers of producers and by the ids of addresses, as the tables have them
 * and as the open flush adds to them. What a flush adds counts for the messages behind it in the same flush, whose outcome is its own,
 * and is taken back with it.
 * <p>
 * Thread: committer (before it starts: whoever recovers).
 */
public final class Deduplicator {
    private record Name(long addressId, String producer) {}

    private final Map<Name, ProducerNumbers> byName = new HashMap<>();
    private final Map<Long, ProducerNumbers> byId = new ConcurrentHashMap<>(); // read by metrics
    private final OwnerShares shares = new OwnerShares(); // of producers
    private final Map<Long, RecentDuplicateIds> idsByAddress = new HashMap<>();
    private final Map<Long, List<Flush.DuplicateId>> recovered = new HashMap<>(); // until it is known how many are kept
    private final Set<ProducerNumbers> numbersStaged = new LinkedHashSet<>();
    private final Set<RecentDuplicateIds> idsStaged = new LinkedHashSet<>();
    private int idsMax;

    public void recovered(ProducerRow row, Address address) {
        if (!Replay.isReserved(row.name())) { // that one is a subscription's
            add(new ProducerNumbers(row, address, null));
        }
    }

    public void recovered(Flush.DuplicateId row) {
        recovered.computeIfAbsent(row.addressId(), id -> new ArrayList<>()).add(row);
    }

    /** @param duplicateIds how many ids of each address are kept; 0 = none */
    public void begin(int duplicateIds) {
        idsMax = duplicateIds;
        if (duplicateIds > 0) {
            recovered.forEach((addressId, rows) ->
                    idsByAddress.put(addressId, RecentDuplicateIds.recovered(addressId, duplicateIds, rows)));
        }
        recovered.clear();
    }

    // ---- producers

    /** Null if there is none of that name. */
    public ProducerNumbers find(Address address, String producer) {
        return byName.get(new Name(address.id(), producer));
    }

    public void add(ProducerNumbers numbering) {
        byName.put(new Name(numbering.address().id(), numbering.name()), numbering);
        byId.put(numbering.id(), numbering);
        shares.took(numbering.owner());
    }

    public void remove(ProducerNumbers numbering) {
        byName.remove(new Name(numbering.address().id(), numbering.name()));
        byId.remove(numbering.id());
        shares.gaveBack(numbering.owner());
    }

    /** How many an owner has made that are still known. */
    int producersOf(String owner) {
        return shares.of(owner);
    }

    public Collection<ProducerNumbers> producers() {
        return byId.values();
    }

    /** How many producers are known. Thread: any; a little behind. */
    public int size() {
        return byId.size();
    }

    public void left(Producer producer) {
        ProducerNumbers numbering = byId.get(producer.id());
        if (numbering != null) {
            numbering.left(producer);
        }
    }

    /** An address is gone, and with it its producers and its ids. */
    public void forget(Address gone) {
        idsByAddress.remove(gone.id());
        if (gone.isTemporary()) {
            return; // it has no producers, and a client may delete thousands of its kind
        }
        byId.values().stream()
                .filter(numbering -> numbering.address().equals(gone))
                .toList()
                .forEach(this::remove);
    }

    // ---- the open flush

    /** @return null, or why none of the messages can be stored */
    public Refusal refusal(Deduplication once) {
        if (once.producer() == null) {
            return null;
        }
        ProducerNumbers numbering = byId.get(once.producer().id());
        if (numbering == null || !numbering.isHeldBy(once.producer())) {
            return fenced(numbering == null ? once.producer() : numbering);
        }
        long last = numbering.last();
        return once.first() <= last || once.previous() == last
                ? null
                : new Refusal(
                        Refusal.Reason.OUT_OF_ORDER,
                        "RT-4107",
                        "message " + once.first() + " of " + numbering + " follows " + once.previous() + ", and "
                                + last + " is the last one that is stored: one between them was refused, send this one"
                                + " again");
    }

    public static Refusal fenced(Object producer) {
        return new Refusal(
                Refusal.Reason.NOT_ALLOWED,
                "RT-4101",
                producer + " was opened anew by somebody else, which fences this one: give each publisher an id of its"
                        + " own");
    }

    /** @return whether the message is to be stored: false for one that is, durably or by the open flush */
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

    /** Those of temporary addresses, whose ids are negative, are kept in memory only. */
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

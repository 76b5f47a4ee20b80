package io.ringtable.broker.commit;

import io.ringtable.broker.catalog.Address;
import io.ringtable.broker.catalog.Producer;
import io.ringtable.broker.message.DuplicateId;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.ProducerRow;
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
 * and as the open batch adds to them. What a batch adds counts for the messages behind it in the same batch, whose outcome is its own,
 * and is taken back with it.
 * <p>
 * Thread: committer (before it starts: whoever recovers).
 */
final class StoredOnce {
    private record Name(long addressId, String producer) {}

    private final Map<Name, Numbering> byName = new HashMap<>();
    private final Map<Long, Numbering> byId = new ConcurrentHashMap<>(); // read by metrics
    private final OwnerShares shares = new OwnerShares(); // of producers
    private final Map<Long, DuplicateIdWindow> windows = new HashMap<>(); // by address
    private final Map<Long, List<Flush.DuplicateId>> recovered = new HashMap<>(); // until the window's size is known
    private final Set<Numbering> numbersStaged = new LinkedHashSet<>();
    private final Set<DuplicateIdWindow> windowsStaged = new LinkedHashSet<>();
    private int windowSize;

    void recovered(ProducerRow row, Address address) {
        add(new Numbering(row, address, null));
    }

    void recovered(Flush.DuplicateId row) {
        recovered.computeIfAbsent(row.addressId(), id -> new ArrayList<>()).add(row);
    }

    /** @param duplicateIds how many ids of each address are kept; 0 = none */
    void begin(int duplicateIds) {
        windowSize = duplicateIds;
        if (duplicateIds > 0) {
            recovered.forEach((addressId, rows) ->
                    windows.put(addressId, DuplicateIdWindow.recovered(addressId, duplicateIds, rows)));
        }
        recovered.clear();
    }

    // ---- producers

    /** Null if there is none of that name. */
    Numbering find(Address address, String producer) {
        return byName.get(new Name(address.id(), producer));
    }

    void add(Numbering numbering) {
        byName.put(new Name(numbering.address().id(), numbering.name()), numbering);
        byId.put(numbering.id(), numbering);
        shares.took(numbering.owner());
    }

    void remove(Numbering numbering) {
        byName.remove(new Name(numbering.address().id(), numbering.name()));
        byId.remove(numbering.id());
        shares.gaveBack(numbering.owner());
    }

    /** How many an owner has made that are still known. */
    int producersOf(String owner) {
        return shares.of(owner);
    }

    Collection<Numbering> producers() {
        return byId.values();
    }

    void left(Producer producer) {
        Numbering numbering = byId.get(producer.id());
        if (numbering != null) {
            numbering.left(producer);
        }
    }

    /** An address is gone, and with it its producers and its ids. */
    void forget(Address gone) {
        windows.remove(gone.id());
        if (gone.isTemporary()) {
            return; // it has no producers, and a client may delete thousands of its kind
        }
        byId.values().stream()
                .filter(numbering -> numbering.address().equals(gone))
                .toList()
                .forEach(this::remove);
    }

    // ---- the open batch

    /** @return null, or why none of the messages can be stored */
    Refusal refusal(Once once) {
        if (once.producer() == null) {
            return null;
        }
        Numbering numbering = byId.get(once.producer().id());
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

    static Refusal fenced(Object producer) {
        return new Refusal(
                Refusal.Reason.NOT_ALLOWED,
                "RT-4101",
                producer + " was opened anew by somebody else, which fences this one: give each publisher an id of its"
                        + " own");
    }

    /** @return whether the message is to be stored: false for one that is, durably or by the open batch */
    boolean stage(Once once, int index, Message message) {
        if (once.producer() != null && !stageNumber(once, index, message)) {
            return false;
        }
        DuplicateId id = once.id(index);
        return id == null || windowSize == 0 || stageId(id, message.address());
    }

    private boolean stageNumber(Once once, int index, Message message) {
        Numbering numbering = byId.get(once.producer().id());
        long number = once.first() + index;
        if (number <= numbering.last()) {
            return false;
        }
        numbering.stage(number, message.publishedAt());
        numbersStaged.add(numbering);
        return true;
    }

    private boolean stageId(DuplicateId id, Address address) {
        DuplicateIdWindow window =
                windows.computeIfAbsent(address.id(), addressId -> new DuplicateIdWindow(addressId, windowSize));
        windowsStaged.add(window);
        return window.stage(id);
    }

    List<Flush.Produced> produced() {
        return numbersStaged.isEmpty()
                ? List.of()
                : numbersStaged.stream().map(Numbering::row).toList();
    }

    /** Those of temporary addresses, whose ids are negative, are kept in memory only. */
    List<Flush.DuplicateId> duplicateIds() {
        if (windowsStaged.isEmpty()) {
            return List.of();
        }
        List<Flush.DuplicateId> rows = new ArrayList<>();
        for (DuplicateIdWindow window : windowsStaged) {
            window.forEachStaged(row -> {
                if (row.addressId() >= 0) {
                    rows.add(row);
                }
            });
        }
        return rows;
    }

    void commit() {
        numbersStaged.forEach(Numbering::commit);
        windowsStaged.forEach(DuplicateIdWindow::commit);
        numbersStaged.clear();
        windowsStaged.clear();
    }

    void rollBack() {
        numbersStaged.forEach(Numbering::rollBack);
        windowsStaged.forEach(DuplicateIdWindow::rollBack);
        numbersStaged.clear();
        windowsStaged.clear();
    }
}

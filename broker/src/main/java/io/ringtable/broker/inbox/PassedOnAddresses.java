package io.ringtable.broker.inbox;

import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.store.RingReads;
import io.ringtable.broker.store.StoreFailure;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the order of an address whose home changes while its messages are on their way. Remembers to which shard the
 * collector passed them on last. Once they go elsewhere, later ones stay in the inbox until no earlier one lies in the
 * inbox of a third shard (ADR 66). Messages of other addresses pass.
 * <p>
 * The table decides, so it does not matter when this node hears that a queue moves. The memory only says when to ask.
 * <p>
 * Thread: inbox-collector. Failure: what it begins with comes from the table, at the first look of each owner. A shard
 * that keeps earlier messages for longer than {@value #LOOKS_MAX} looks, about a minute, is waited for no more.
 */
final class PassedOnAddresses {
    private static final Logger LOG = LoggerFactory.getLogger(PassedOnAddresses.class);
    /** Counts answers of the store and no time, so nobody gives up because the store was away. */
    static final int LOOKS_MAX = 70;

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1); // after the first look; then it doubles
    private static final long PAUSE_MAX_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long CLOSED_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long UNTIL_RELEASED = Long.MAX_VALUE / 2; // ns
    /** Stands for a shard where it is not known which one has messages of the address. */
    private static final int UNSURE = -1;

    /** The least number of addresses at which those that have nothing on its way are forgotten. */
    static final int FORGET_AT = 10_000;

    private final RingReads store;
    private final InboxHomes homes;
    private final SkippedAddresses skipped;
    private final Map<String, Integer> last = new HashMap<>(); // shard, by address
    private final Map<String, Hold> held = new HashMap<>();
    private final Map<String, Set<Integer>> released = new HashMap<>(); // in this look: the shards that have messages
    private int forgetAt = FORGET_AT;
    private boolean asked; // what was on its way when this owner began

    /** @param home where the address's messages go next */
    private record Hold(int home, int looks, long lookAt) {
        Hold after(long now) {
            return new Hold(home, looks + 1, now + Math.min(PAUSE_MAX_NANOS, PAUSE_NANOS << Math.min(looks, 20)));
        }
    }

    /** @param skipped leaves the addresses out that wait */
    PassedOnAddresses(RingReads store, InboxHomes homes, SkippedAddresses skipped) {
        this.store = store;
        this.homes = homes;
        this.skipped = skipped;
    }

    /**
     * Releases the addresses that need not wait any more, before the inbox is read: then the read finds what other
     * shards have passed back.
     *
     * @throws StoreFailure if the store does not answer: all wait on
     */
    void beginLook(long now) {
        released.clear();
        boolean isDue = held.values().stream().anyMatch(hold -> now - hold.lookAt() >= 0);
        if (asked ? isDue || last.size() >= forgetAt : !homes.areAlone()) {
            Map<String, Set<Integer>> onTheWay = store.readPassedOn();
            learn(onTheWay);
            Set.copyOf(held.keySet()).forEach(name -> look(name, onTheWay.getOrDefault(name, Set.of()), now));
        }
        asked = true;
    }

    private void learn(Map<String, Set<Integer>> onTheWay) {
        if (asked && last.size() < forgetAt) {
            return;
        }
        last.values().removeIf(shard -> shard != UNSURE);
        onTheWay.forEach((name, shards) ->
                last.put(name, shards.size() == 1 ? shards.iterator().next() : UNSURE));
        forgetAt = Math.max(FORGET_AT, 2 * last.size());
    }

    private void look(String name, Set<Integer> shards, long now) {
        Hold hold = held.get(name);
        if (now - hold.lookAt() < 0) {
            return;
        }
        Set<Integer> before = new HashSet<>(shards);
        before.remove(hold.home());
        if (!before.isEmpty() && hold.looks() < LOOKS_MAX) {
            held.put(name, hold.after(now));
            return;
        }
        if (!before.isEmpty()) {
            LOG.warn(
                    "RT-4609 messages for '{}' in the inbox of shard {} go to shard {} now. Earlier ones have been with"
                            + " the shards {} for a minute: see why those do not pass them on. The messages follow once"
                            + " these shards are back",
                    Printable.value(name),
                    homes.here(),
                    hold.home(),
                    before);
        }
        held.remove(name);
        skipped.release(name);
        released.put(name, before.isEmpty() ? shards : Set.of());
    }

    /**
     * Answers whether a message may go to its home now. If not, those of its address are left out from now on.
     *
     * @param address of the message
     * @param portion of this look, which may have earlier ones for another home
     */
    boolean mayGo(Address address, int home, Portion portion, long now) {
        String name = address.name();
        if (address.quota().isClosed()) { // the next home is about to have it
            skipped.until(name, now + CLOSED_NANOS);
            return false;
        }
        Integer before = last.get(name);
        boolean isAsBefore = before == null ? home == homes.here() : before == home;
        if (isAsBefore || !homes.isWhole(address)) {
            return true;
        }
        Set<Integer> shards = released.get(name);
        boolean isReleased = shards != null && (shards.isEmpty() || shards.equals(Set.of(home)));
        if (isReleased || before == null && !portion.claims(name)) {
            if (home == homes.here()) {
                last.remove(name);
            } else {
                last.put(name, home);
            }
            return true;
        }
        held.put(name, new Hold(home, 0, now));
        skipped.until(name, now + UNTIL_RELEASED);
        return false;
    }

    /**
     * Passes on what belongs to other shards.
     *
     * @return why that failed, so that rows stay or have gone; null if it has not
     */
    StoreFailure passOn(Portion portion) {
        try {
            portion.elsewhere().forEach(homes::passOn);
            return null;
        } catch (StoreFailure failure) {
            Set<Integer> shards = portion.elsewhere().keySet(); // an earlier call may have moved some elsewhere
            last.replaceAll((name, shard) -> shards.contains(shard) ? UNSURE : shard);
            return failure;
        }
    }
}

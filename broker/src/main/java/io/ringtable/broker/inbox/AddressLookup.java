package io.ringtable.broker.inbox;

import io.ringtable.broker.agent.Doorbell;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.work.CommitterDoors;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * Finds the addresses that messages of the inbox name, in this shard or in others. Asks for one that does not exist as
 * a publisher would.
 * <p>
 * Thread: inbox-collector.
 */
final class AddressLookup {

    /** Holds the answer for a name: exactly one of the two, or neither while the address is being created. */
    record Found(Address address, Refusal refusal) {
        private static final Found NOT_YET = new Found(null, null);

        boolean isPending() {
            return address == null && refusal == null;
        }

        /** Tells whether the rules of the catalogue refuse it, so that waiting changes nothing. */
        boolean isRefusedForGood() {
            return refusal != null
                    && switch (refusal.reason()) {
                        case NOT_FOUND, NOT_ALLOWED, NOT_PERMITTED, IN_USE, INVALID -> true;
                        case LIMIT -> refusal.code().startsWith("RT-2"); // of addresses, not a store without room
                        case OUT_OF_ORDER, UNAVAILABLE -> false;
                    };
        }
    }

    private record Asked(String name, AddressKind kind, boolean here) {}

    private final CommitterDoors here;
    private final InboxHomes homes;
    private final Doorbell doorbell;
    private final Map<Asked, CompletableFuture<Address>> asked = new HashMap<>();
    private final Map<Asked, Found> refused = new HashMap<>(); // in this look

    /** @param here the shard whose inbox it is */
    AddressLookup(CommitterDoors here, InboxHomes homes, Doorbell doorbell) {
        this.here = here;
        this.homes = homes;
        this.doorbell = doorbell;
    }

    /** Begins a look and forgets earlier refusals: the broker may allow those names now. */
    void beginLook() {
        refused.clear();
    }

    /**
     * Finds the address wherever it lives. Of an address with parts it finds the one of this shard. Of a queue that
     * moves it finds the one in the next shard, once that is there.
     *
     * @param kind null where nobody said
     */
    Found find(String name, AddressKind kind) {
        Address address = here.lookup().find(name);
        if (address == null || address.quota().isClosed()) { // it moves, and another shard takes its messages
            address = homes.find(name);
        }
        return address == null ? ask(new Asked(name, kind, false)) : found(address, kind);
    }

    /** Finds the part of a queue that lives in this shard, for messages that stay here. */
    Found findHere(String queue) {
        Address address = here.lookup().find(queue);
        return address == null ? ask(new Asked(queue, AddressKind.QUEUE, true)) : found(address, AddressKind.QUEUE);
    }

    private static Found found(Address address, AddressKind kind) {
        return kind == null || kind == address.kind() ? new Found(address, null) : new Found(null, address.isNo(kind));
    }

    private Found ask(Asked key) {
        Found known = refused.get(key);
        if (known != null) {
            return known;
        }
        CompletableFuture<Address> answer = asked.get(key);
        if (answer == null) {
            CompletionStage<Address> made =
                    key.here() ? here.catalog().ensure(key.name(), key.kind()) : homes.ensure(key.name(), key.kind());
            answer = made.toCompletableFuture();
            answer.whenComplete((any, failure) -> doorbell.ring());
            asked.put(key, answer);
        }
        if (!answer.isDone()) {
            return Found.NOT_YET;
        }
        asked.remove(key);
        try {
            return new Found(answer.join(), null);
        } catch (CompletionException failed) {
            Found no = new Found(null, refusalOf(failed.getCause()));
            refused.put(key, no);
            return no;
        }
    }

    private static Refusal refusalOf(Throwable failure) {
        return failure instanceof Refusal.Refused refused
                ? refused.refusal()
                : new Refusal(Refusal.Reason.UNAVAILABLE, "RT-2400", failure.toString());
    }
}

package io.ringtable.broker.inbox;

import io.ringtable.broker.agent.Doorbell;
import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.Refusal;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;

/**
 * Finds the addresses that messages of the inbox name; asks for one that does not exist as a publisher would.
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
    }

    private record Asked(String name, AddressKind kind) {}

    private final BiFunction<String, AddressKind, CompletionStage<Address>> ensure;
    private final CatalogLookup lookup;
    private final Doorbell doorbell;
    private final Map<Asked, CompletableFuture<Address>> asked = new HashMap<>();
    private final Map<Asked, Found> refused = new HashMap<>(); // in this look

    /** @param ensure finds or creates an address of the shard, as a publisher's link would */
    AddressLookup(
            BiFunction<String, AddressKind, CompletionStage<Address>> ensure, CatalogLookup lookup, Doorbell doorbell) {
        this.lookup = lookup;
        this.ensure = ensure;
        this.doorbell = doorbell;
    }

    /** Begins a look and forgets earlier refusals: the broker may allow those names now. */
    void beginLook() {
        refused.clear();
    }

    /** @param kind null where nobody said */
    Found find(String name, AddressKind kind) {
        Address address = lookup.find(name);
        if (address != null) {
            return kind == null || kind == address.kind()
                    ? new Found(address, null)
                    : new Found(null, address.isNo(kind));
        }
        Asked key = new Asked(name, kind);
        Found known = refused.get(key);
        if (known != null) {
            return known;
        }
        CompletableFuture<Address> answer = asked.get(key);
        if (answer == null) {
            answer = ensure.apply(name, kind).toCompletableFuture();
            answer.whenComplete((made, refused) -> doorbell.ring());
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

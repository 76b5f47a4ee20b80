package io.ringtable.broker.amqp.attach;

import io.ringtable.broker.amqp.relay.RemoteHome;
import io.ringtable.broker.dispatch.CreationElsewhere;
import io.ringtable.broker.message.Address;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Holds what the catalogue has found or made, or says that it is another node's. Immutable.
 *
 * @param address null if another node has it, or is to make it
 * @param maker who is to make it; null if another node has made it meanwhile
 */
record FoundAddress(Address address, RemoteHome maker) {
    /**
     * Waits for the catalogue.
     *
     * @param mayPassOn whether links may go to other nodes
     * @param elsewhere returns where the address is, if another node has it; asked after a refusal, on any thread
     * @return fails as the catalogue does, if no other node helps
     */
    static CompletionStage<FoundAddress> of(
            CompletionStage<Address> asked, boolean mayPassOn, Supplier<RemoteHome> elsewhere) {
        return asked.handle((address, failure) -> {
            if (failure == null) {
                return new FoundAddress(address, null);
            }
            if (elsewhere.get() != null) {
                return new FoundAddress(null, null);
            }
            RemoteHome maker = mayPassOn ? RemoteHome.of(CreationElsewhere.homeOf(failure)) : null;
            if (maker == null) {
                throw failure instanceof CompletionException known ? known : new CompletionException(failure);
            }
            return new FoundAddress(null, maker);
        });
    }

    /** Takes back what was made here, if anything was. */
    void undo(Consumer<Address> delete) {
        if (address != null) {
            delete.accept(address);
        }
    }
}

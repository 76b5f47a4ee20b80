package io.ringtable.broker.catalog;

import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.QuotaLimits;

/**
 * Decides which addresses the broker creates when a client names them, of which kind, and with which quota.
 * <p>
 * Thread: any.
 */
@FunctionalInterface
public interface AddressCreation {
    /** Creates every address, as a queue if the client names no kind. */
    AddressCreation ANY = (name, wanted) -> wanted == null ? AddressKind.QUEUE : wanted;

    /**
     * Returns the kind of a new address.
     *
     * @param wanted null if the client names no kind
     * @throws io.ringtable.broker.message.Refusal.Refused if the client may not create the address
     */
    AddressKind kindOf(String name, AddressKind wanted);

    /**
     * Checks a new address that an administrator asks for, whom no policy of creation limits.
     *
     * @throws io.ringtable.broker.message.Refusal.Refused if no address of that kind may have the name
     */
    default void check(String name, AddressKind kind) {}

    /** Returns what policies say of the quota of the address. */
    default QuotaLimits quota(String name) {
        return QuotaLimits.NONE;
    }
}

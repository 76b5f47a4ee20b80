package io.ringtable.broker.catalog;

import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.QuotaLimits;
import io.ringtable.broker.message.Refusal;

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

    /**
     * Checks a name that no address has.
     *
     * @throws Refusal.Refused if no new address can have it
     */
    static void checkName(String name) {
        if (name.startsWith(Address.TEMPORARY_PREFIX)) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_FOUND,
                    "RT-2019",
                    "there is no temporary address '" + name + "' any more, and no other address begins with '"
                            + Address.TEMPORARY_PREFIX + "'"));
        }
        if (!Address.isName(name)) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.INVALID,
                    "RT-2013",
                    "an address name has 1 to " + Address.NAME_MAX
                            + " characters, no control characters and no half of a surrogate pair; this one has "
                            + name.length()));
        }
        if (name.contains(CatalogMailbox.SINCE)) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.INVALID,
                    "RT-2024",
                    "'" + CatalogMailbox.SINCE
                            + "' is no part of an address's name: it follows a topic's name where"
                            + " a durable subscription begins at a time in the past"));
        }
    }

    /** Returns what policies say of the quota of the address. */
    default QuotaLimits quota(String name) {
        return QuotaLimits.NONE;
    }
}

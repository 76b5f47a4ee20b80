package io.ringtable.broker.catalog;

import io.ringtable.broker.message.AddressKind;

/** Which addresses come into being when somebody names them, and as what. Thread: any. */
@FunctionalInterface
public interface AddressCreation {
    /** All of them; a queue where nobody says. */
    AddressCreation ANY = (name, wanted) -> wanted == null ? AddressKind.QUEUE : wanted;

    /**
     * Asked for an address that is not there.
     *
     * @param wanted null where nobody says
     * @throws io.ringtable.broker.message.Refusal.Refused if it is not to be created
     */
    AddressKind kindOf(String name, AddressKind wanted);
}

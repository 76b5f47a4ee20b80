package io.ringtable.broker.catalog;

import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * Says for whom a durable subscription is made, used or deleted.
 *
 * @param name of the user; empty without users, and for the broker itself, which may use every subscription
 * @param manages tells of an address whether the user may use global subscriptions of other users there; any thread
 *     calls it
 */
public record SubscriptionUser(String name, Predicate<Address> manages) {
    /** Stands for everybody where there are no users. */
    public static final SubscriptionUser NOBODY = of("");

    /** The code of {@link #notYours}. */
    public static final String NOT_YOURS = "RT-4352";

    public SubscriptionUser {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(manages, "manages");
    }

    /** Returns a user whom no rules limit. */
    public static SubscriptionUser of(String name) {
        return new SubscriptionUser(name, any -> true);
    }

    /**
     * Refuses a durable subscription that belongs to another user. A user who manages the topic of a global
     * subscription may use it and does not become its owner.
     *
     * @param clientId empty if the subscription is global
     * @param subscription its name
     * @param existing the subscription of that client and name; null if there is none yet
     * @param owner of the client id, or of the existing global subscription; null = nobody yet
     * @throws Refusal.Refused if the owner is another user
     */
    public void check(String clientId, String subscription, Subscription existing, String owner) {
        boolean isGlobal = clientId.isEmpty();
        boolean isOthers = !name.isEmpty() && owner != null && !owner.equals(name);
        if (isOthers && !isGlobal) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_ALLOWED,
                    "RT-4332",
                    "client id '" + Printable.value(clientId)
                            + "' belongs to another user, who used it first: choose another"
                            + " client id, or let the operator hand it over"));
        }
        if (isOthers && !manages.test(existing.address())) {
            throw new Refusal.Refused(
                    new Refusal(Refusal.Reason.NOT_PERMITTED, NOT_YOURS, notYours(name, subscription)));
        }
    }

    /** Says why a user may not use a subscription, without the code; does not tell its topic. */
    public static String notYours(String user, String subscription) {
        return "user '" + Printable.value(user) + "' may not use durable subscription '"
                + Printable.value(subscription) + "', which is of another user: use another name. An administrator may"
                + " also give this user the permission 'manage' on its topic";
    }
}

package io.ringtable.broker.catalog;

import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Printable;
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

    public SubscriptionUser {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(manages, "manages");
    }

    /** Returns a user whom no rules limit. */
    public static SubscriptionUser of(String name) {
        return new SubscriptionUser(name, any -> true);
    }

    /** The code of {@link #notYours}. */
    public static final String NOT_YOURS = "RT-4352";

    /** Says why a user may not use a subscription, without the code; does not tell its topic. */
    public static String notYours(String user, String subscription) {
        return "user '" + Printable.value(user) + "' may not use durable subscription '"
                + Printable.value(subscription) + "', which is of another user: use another name, or have an"
                + " administrator give this user the permission 'manage' on its topic";
    }
}

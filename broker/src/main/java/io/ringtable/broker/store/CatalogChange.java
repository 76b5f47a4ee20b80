package io.ringtable.broker.store;

import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.setting.Setting;
import io.ringtable.broker.setting.SettingKind;
import java.util.List;

/** Describes a durable change of the catalogue. The committer gives the ids; none is given twice in a database. */
public sealed interface CatalogChange {
    /** Stands for no id. */
    long NO_ID = -1;

    /** Tells whether a list with this change has no other. */
    default boolean isMadeAlone() {
        return false;
    }

    /** Returns the id that the change gives to what it makes; {@link #NO_ID} if it makes nothing. */
    default long givenId() {
        return NO_ID;
    }

    /**
     * @param quotaMessages most messages owed on the address
     * @param quotaBytes most bytes owed on the address
     */
    record CreateAddress(long addressId, String name, AddressKind kind, long quotaMessages, long quotaBytes)
            implements CatalogChange {
        @Override
        public long givenId() {
            return addressId;
        }
    }

    /**
     * Removes the address with its subscriptions, their replays, its producers and its duplicate ids. From then on
     * nobody owes its messages.
     */
    record DeleteAddress(long addressId) implements CatalogChange {}

    record Subscribe(SubscriptionRow subscription) implements CatalogChange {
        @Override
        public long givenId() {
            return subscription.subscriptionId();
        }
    }

    record Unsubscribe(long subscriptionId) implements CatalogChange {}

    /** Purges a queue: its subscription no longer owes anything below {@code fromSequence}. */
    record Purge(long subscriptionId, long fromSequence) implements CatalogChange {}

    /**
     * Gives the client id to a user, even if it belonged to another one. A list with this change has no other.
     *
     * @param owner name of the user; null = the client id belongs to nobody
     */
    record OwnClient(String clientId, String owner) implements CatalogChange {
        @Override
        public boolean isMadeAlone() {
            return true;
        }
    }

    /** Adds a setting, or replaces that of its kind and name. A list with this change has no other. */
    record PutSetting(Setting setting) implements CatalogChange {
        @Override
        public boolean isMadeAlone() {
            return true;
        }
    }

    /** Removes a setting. A list with this change has no other. */
    record DeleteSetting(SettingKind kind, String name) implements CatalogChange {
        @Override
        public boolean isMadeAlone() {
            return true;
        }
    }

    /** Adds a login, which messages of the next flush name. A list with this change has no other. */
    record CreateLogin(LoginRow login) implements CatalogChange {
        @Override
        public boolean isMadeAlone() {
            return true;
        }
    }

    record CreateProducer(ProducerRow producer) implements CatalogChange {
        @Override
        public long givenId() {
            return producer.producerId();
        }
    }

    /**
     * Opens a producer anew for its application, or says whose it is.
     *
     * @param openedAt ms since the epoch
     * @param owner name of the user whose it is from now on; null = nobody
     */
    record ReopenProducer(long producerId, long incarnation, long openedAt, String owner) implements CatalogChange {}

    /** Forgets what a producer has stored; the next producer of its name begins with number 1. */
    record ForgetProducer(long producerId) implements CatalogChange {}

    /** Keeps ids that came with messages of an address, before it moved here; each as a flush writes it. */
    record KeepDuplicateIds(List<Flush.DuplicateId> ids) implements CatalogChange {}

    /**
     * Begins to copy for the subscription what is kept from the position on. The replay's row goes with the
     * subscription.
     */
    record BeginReplay(long subscriptionId, long position) implements CatalogChange {}

    /** Ends the copying: from then on the subscription owes what is published. */
    record EndReplay(long subscriptionId) implements CatalogChange {}
}

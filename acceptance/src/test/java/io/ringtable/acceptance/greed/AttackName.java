package io.ringtable.acceptance.greed;

import java.util.Locale;
import java.util.function.Supplier;

/** The attacks, by the names that {@code acceptance/greed.sh} takes, in the order in which it runs them. */
enum AttackName {
    DISPOSITIONS(Dispositions::new),
    PASSWORDS(Passwords::new),
    WAITING_PUBLISHERS(WaitingPublishers::new),
    UNFINISHED_TRANSFERS(UnfinishedTransfers::new),
    REFUSED_ATTACHES(RefusedAttaches::new),
    GROUP_IDS(GroupIds::new),
    UNREAD_CONSUMERS(UnreadConsumers::new),
    DEAD_LETTERS(DeadLetters::new),
    QUOTA(Quota::new),
    PRIORITIES(Priorities::new),
    SELECTORS(Selectors::new),
    STORED_SELECTORS(StoredSelectors::new),
    QUEUE_SELECTORS(QueueSelectors::new),
    SUBSCRIBERS(Subscribers::new),
    NEW_ADDRESSES(NewAddresses::new),
    TEMPORARY_ADDRESSES(TemporaryAddresses::new),
    PRODUCERS(NumberedProducers::new),
    LOG_LINES(LogLines::new);

    private final Supplier<Attack> attack;

    AttackName(Supplier<Attack> attack) {
        this.attack = attack;
    }

    Attack attack() {
        return attack.get();
    }

    static AttackName of(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}

package io.ringtable.acceptance.greed;

import io.ringtable.acceptance.harness.BrokerSettings;

/** Users of a broker, all with one password. Its hash costs as much as the one that docs/operations.md recommends. */
final class GreedUsers {
    static final String HONEST = "honest";
    static final String GREEDY = "greedy";
    static final String PASSWORD = "right";
    /** Users who have not logged in yet, each of whom costs a hash. */
    static final int LATE = 60;

    private static final String HASH = "{bcrypt}$2a$10$qGdyw2SbZic/0K.ymQcDKOI/5GBKSu8AFCrttEiVQXKWAFuJ4ygEe";

    private GreedUsers() {}

    static String late(int number) {
        return "late-" + number;
    }

    static BrokerSettings in(BrokerSettings settings) {
        BrokerSettings changed = with(with(settings, 0, HONEST), 1, GREEDY);
        for (int n = 0; n < LATE; n++) {
            changed = with(changed, 2 + n, late(n));
        }
        return changed;
    }

    private static BrokerSettings with(BrokerSettings settings, int number, String name) {
        String user = "ringtable.security.users[" + number + "].";
        return settings.with(user + "name", name).with(user + "password", HASH);
    }
}

package io.ringtable.broker.setting;

import java.util.Locale;

/** Tells what a {@link Setting} is about. */
public enum SettingKind {
    /** Somebody who may log in. */
    USER(10_000),
    /** Rights of users, on the addresses that match. */
    RULE(1_000),
    /** The users and groups that have a role of the administration. */
    ROLE(10),
    /** Policy of the addresses that match; its name is the pattern. */
    POLICY(200),
    /** Work over many messages; changes at most once a second. */
    JOB(1_000);

    private final int most;

    SettingKind(int most) {
        this.most = most;
    }

    /** Returns how many settings of the kind there may be: each is read at every start, and some at every change. */
    public int most() {
        return most;
    }

    /** Returns the kind as it stands in the table: its name in lower case. */
    public String stored() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the kind of a stored name. */
    public static SettingKind ofStored(String stored) {
        return valueOf(stored.toUpperCase(Locale.ROOT));
    }
}

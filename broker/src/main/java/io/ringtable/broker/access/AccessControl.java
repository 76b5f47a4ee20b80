package io.ringtable.broker.access;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Holds the rules and roles that count now, and tells when others do.
 * <p>
 * Thread: any. A caller that asks after {@link #replace} gets the new rules; one that asked before hears of the change.
 */
public final class AccessControl {
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private volatile AccessRules rules; // written by any, read by event loops
    private volatile Roles roles; // written and read by any

    public AccessControl(AccessRules rules, Roles roles) {
        this.rules = Objects.requireNonNull(rules, "rules");
        this.roles = Objects.requireNonNull(roles, "roles");
    }

    /** Gives nobody a role. */
    public AccessControl(AccessRules rules) {
        this(rules, Roles.NOBODY);
    }

    public AccessRules rules() {
        return rules;
    }

    /** Returns who has which role. */
    public Roles roles() {
        return roles;
    }

    /**
     * Returns the role of a user, or of a client where nobody logs in. As long as there are neither rules nor roles,
     * everybody may do everything; then only those with a role have one.
     */
    public Role role(Identity who) {
        Roles now = roles;
        return now.isEmpty() && rules.isEmpty() ? Role.ADMINISTRATOR : now.of(who);
    }

    /** Replaces all roles. A request that is under way goes on as it began. */
    public void replace(Roles others) {
        roles = Objects.requireNonNull(others, "others");
    }

    /** Replaces all rules. The listeners run on the caller's thread before this returns. */
    public void replace(AccessRules others) {
        rules = Objects.requireNonNull(others, "others");
        listeners.forEach(Runnable::run);
    }

    /** Lets a listener hear of every change, until {@link #forget}. */
    public void onChange(Runnable listener) {
        listeners.add(listener);
    }

    public void forget(Runnable listener) {
        listeners.remove(listener);
    }
}

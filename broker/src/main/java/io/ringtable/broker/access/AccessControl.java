package io.ringtable.broker.access;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Holds the rules that count now, and tells when others do.
 * <p>
 * Thread: any. A caller that asks after {@link #replace} gets the new rules; one that asked before hears of the change.
 */
public final class AccessControl {
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private volatile AccessRules rules; // written by any, read by event loops

    public AccessControl(AccessRules rules) {
        this.rules = Objects.requireNonNull(rules, "rules");
    }

    public AccessRules rules() {
        return rules;
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

package io.ringtable.broker.dispatch;

import io.ringtable.broker.commit.Mailbox;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What one turn of the dispatcher has to finish with: subscriptions to serve, each once, then connections to wake, each
 * once.
 * <p>
 * Thread: dispatcher.
 */
final class Turn {
    private final List<SubscriptionState> dirty = new ArrayList<>();
    private final Set<Mailbox> touched = Collections.newSetFromMap(new IdentityHashMap<>());

    /** The subscription is served before the turn ends. */
    void wake(SubscriptionState state) {
        if (!state.dirty) {
            state.dirty = true;
            dirty.add(state);
        }
    }

    /** Something was put into the mailbox. */
    void touch(Mailbox mailbox) {
        touched.add(mailbox);
    }

    void finish(Consumer<SubscriptionState> serve) {
        for (int i = 0; i < dirty.size(); i++) { // serving one may make another wait
            SubscriptionState state = dirty.get(i);
            state.dirty = false;
            serve.accept(state);
        }
        dirty.clear();
        touched.forEach(Mailbox::wake);
        touched.clear();
    }
}

package io.ringtable.broker.dispatch;

/**
 * Holds the publishers of a topic while a volatile subscription of it has no room: it has no store to fall back to.
 * <p>
 * Bounded by messages for each subscription and by bytes for all together; while the bytes are used up, whoever has a
 * message waiting holds its topic until it has none.
 * <p>
 * Thread: dispatcher.
 */
final class Brake {
    private final MemoryBudget budget;
    private final int messagesMax;

    Brake(MemoryBudget budget, int messagesMax) {
        this.budget = budget;
        this.messagesMax = messagesMax;
    }

    void holdIfFull(SubscriptionState state) {
        boolean full = state.owed().inMemory() > messagesMax || !budget.hasRoom();
        if (full && !state.holding) {
            state.holding = true;
            state.subscription().address().quota().hold();
        }
    }

    void resumeIfRoom(SubscriptionState state) {
        int waiting = state.owed().inMemory();
        if (state.holding && (waiting == 0 || waiting <= messagesMax / 2 && budget.hasRoom())) {
            letGo(state);
        }
    }

    void letGo(SubscriptionState state) {
        if (state.holding) {
            state.holding = false;
            state.subscription().address().quota().resume();
        }
    }
}

package io.ringtable.broker.shard;

import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Mailbox;

/** Holds the outcome of a work. */
final class Outcome implements Completion {
    boolean accepted;
    Refusal refusal;

    @Override
    public void accepted() {
        requireOnce();
        accepted = true;
    }

    @Override
    public void refused(Refusal why) {
        requireOnce();
        refusal = why;
    }

    private void requireOnce() {
        if (isKnown()) {
            throw new AssertionError("a second outcome");
        }
    }

    boolean isKnown() {
        return accepted || refusal != null;
    }

    @Override
    public Mailbox mailbox() {
        return Mailbox.NONE;
    }
}

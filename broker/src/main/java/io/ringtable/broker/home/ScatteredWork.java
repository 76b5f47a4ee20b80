package io.ringtable.broker.home;

import io.ringtable.broker.message.DuplicateId;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Deduplication;
import io.ringtable.broker.work.Mailbox;
import io.ringtable.broker.work.Work;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Holds the messages of a work that are for temporary addresses of other shards, until the rest is durable. These
 * messages live in memory, so nothing has to be atomic with them: a work that is refused gives up their places and
 * bodies.
 * <p>
 * Thread: the committer of the work's home.
 */
final class ScatteredWork implements Completion {
    private final Work whole;
    private final List<Message> elsewhere;
    private final HomeCommitter committer;

    private ScatteredWork(Work whole, List<Message> elsewhere, HomeCommitter committer) {
        this.whole = whole;
        this.elsewhere = elsewhere;
        this.committer = committer;
    }

    /** Returns the part of the work that its home makes durable; the rest follows. */
    static Work of(Work whole, int home, HomeCommitter committer) {
        List<Message> here = new ArrayList<>();
        List<DuplicateId> ids = new ArrayList<>();
        List<Message> elsewhere = new ArrayList<>();
        for (int i = 0; i < whole.messages().size(); i++) {
            Message message = whole.messages().get(i);
            if (ShardIds.shardOf(message.address().id()) == home) {
                here.add(message);
                ids.add(whole.deduplication().id(i));
            } else if (message.address().isTemporary()) {
                elsewhere.add(message);
            } else {
                throw new IllegalStateException(
                        "a work is for " + here + " and " + message.address() + ", whose homes differ");
            }
        }
        return new Work(
                List.copyOf(here),
                whole.settlements(),
                ids.stream().allMatch(Objects::isNull) ? Deduplication.NONE : Deduplication.ids(ids),
                new ScatteredWork(whole, elsewhere, committer));
    }

    @Override
    public void accepted() {
        elsewhere.forEach(committer::submitAtLast);
        whole.completion().accepted();
    }

    @Override
    public void refused(Refusal refusal) {
        elsewhere.forEach(committer::giveUp);
        whole.completion().refused(refusal);
    }

    @Override
    public Mailbox mailbox() {
        return whole.completion().mailbox();
    }
}

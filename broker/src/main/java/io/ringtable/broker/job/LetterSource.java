package io.ringtable.broker.job;

import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.consumer.Consumer;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.work.Mailbox;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import org.jctools.queues.atomic.SpscUnboundedAtomicArrayQueue;

/**
 * Receives the letters of one subscription within a bounded credit, or only looks at them. The dispatcher bounds the
 * bytes, as those of any consumer.
 * <p>
 * Thread: jobs; the methods of {@link Consumer} are the dispatcher's.
 */
final class LetterSource implements Consumer {
    /** The most letters that are here or may come. */
    static final int LETTERS_MAX = 4_096;

    private record Drained(long limit) {}

    private final DispatcherMailbox dispatcher;
    private final Selector selector;
    private final Choice choice;
    private final Mailbox mailbox;
    private final Queue<Object> fromDispatcher = new SpscUnboundedAtomicArrayQueue<>(128);
    private final Deque<Delivery> here = new ArrayDeque<>();
    private long limit; // as the dispatcher was told last
    private long used; // of the limit: by deliveries, and by credit that a drain made void
    private boolean asking; // whether nothing is left; the answer is on its way
    private boolean cameSince; // a letter has come since then
    private boolean exhausted;
    private Refusal refusal;
    private boolean ended;

    /**
     * Makes a source that takes letters.
     *
     * @param mailbox the job's own: it stands for a connection
     */
    static LetterSource taking(
            DispatcherMailbox dispatcher, Subscription subscription, Choice choice, Mailbox mailbox) {
        LetterSource source = new LetterSource(dispatcher, null, choice, mailbox);
        dispatcher.attach(source, subscription);
        return source;
    }

    /** Makes a source that only looks at what is ready now. @param selector null = every letter */
    static LetterSource looking(
            DispatcherMailbox dispatcher, Subscription subscription, Selector selector, Mailbox mailbox) {
        LetterSource source = new LetterSource(dispatcher, selector, null, mailbox);
        dispatcher.browse(source, subscription);
        return source;
    }

    private LetterSource(DispatcherMailbox dispatcher, Selector selector, Choice choice, Mailbox mailbox) {
        this.dispatcher = dispatcher;
        this.selector = selector;
        this.choice = choice;
        this.mailbox = mailbox;
    }

    // ---- from the dispatcher

    @Override
    public Selector selector() {
        return selector;
    }

    @Override
    public Choice choice() {
        return choice;
    }

    @Override
    public void deliver(Delivery delivery) {
        fromDispatcher.add(delivery);
    }

    @Override
    public void drained(long itsLimit) {
        fromDispatcher.add(new Drained(itsLimit));
    }

    @Override
    public void ended(Refusal why) {
        fromDispatcher.add(why);
    }

    @Override
    public Mailbox mailbox() {
        return mailbox;
    }

    // ---- for the job

    /** Takes over what the dispatcher has sent. @return how much */
    int poll() {
        int done = 0;
        for (Object item; (item = fromDispatcher.poll()) != null; done++) {
            if (item instanceof Delivery delivery) {
                used++;
                cameSince = true;
                if (!ended) { // else it has gone back
                    here.add(delivery);
                }
            } else if (item instanceof Drained) {
                used = limit;
                asking = false;
                exhausted = !cameSince;
            } else {
                refusal = (Refusal) item;
                ended = true;
            }
        }
        return done;
    }

    /** Returns the first letter that is here; null if there is none. */
    Delivery peek() {
        return here.peek();
    }

    /** Removes the letter that {@link #peek} returned: the caller decides what becomes of it. */
    void remove() {
        here.remove();
    }

    int letters() {
        return here.size();
    }

    /** Lets go of a letter that was only looked at. */
    void seen(Delivery delivery) {
        dispatcher.accepted(this, delivery, null);
    }

    /** Gives credit for letters. @param wanted how many may be on their way */
    void credit(int wanted) {
        long onTheirWay = limit - used;
        if (!asking && !ended && onTheirWay < wanted && 2 * onTheirWay <= wanted) {
            limit = used + wanted;
            dispatcher.credit(this, limit, false);
        }
    }

    /** Asks whether anything is left, once nothing is here. {@link #isExhausted} has the answer later. */
    void ask() {
        if (!asking && !ended) {
            asking = true;
            cameSince = false;
            limit = Math.max(limit, used + 1);
            dispatcher.credit(this, limit, true);
        }
    }

    /** Tells whether the dispatcher has answered that nothing is left. */
    boolean isExhausted() {
        return exhausted;
    }

    /** Returns why there are no letters any more; null while there may be some. */
    Refusal refusal() {
        return refusal;
    }

    /** Takes no more, and gives back what is here. */
    void end() {
        here.clear();
        if (!ended) {
            ended = true;
            dispatcher.detach(this, List.of(), false);
        }
    }
}

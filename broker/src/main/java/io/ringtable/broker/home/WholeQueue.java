package io.ringtable.broker.home;

import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.consumer.Consumer;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.work.Mailbox;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/**
 * Serves one consumer from all parts of a queue, or of a subscription, each with a dispatcher of its own (ADR 49, ADR
 * 67). The consumer's credit is divided among the parts. A part whose share is used up gets one more as long as the
 * consumer has credit. So no part waits for the messages of another. At most one message for each part then waits here
 * for the consumer's credit. A browser is shown one part after another.
 * <p>Longer than others, because credit, drains and recalls of all parts are told under one lock.
 * <p>
 * Thread: the consumer's event loop, the dispatchers and whoever makes a part, under this object's lock; nothing under
 * the lock blocks.
 */
final class WholeQueue {
    private final String name;
    private final Consumer consumer;
    private final boolean browses;
    private final boolean ofQueue;
    private volatile List<Part> parts = List.of(); // replaced under the lock, read by any
    private final Queue<Delivery> waiting = new ArrayDeque<>(); // for credit
    private long limit; // deliveries that the consumer allows in all
    private long given; // deliveries that it got
    private int browsing; // the part that a browser is shown now
    private int draining = -1; // the part that is asked for what it has; -1 = none
    private long drainLimit; // of the consumer's question
    private boolean ended;

    /**
     * Names a part by its subscription.
     *
     * @param onDetached runs once, when the consumer has been detached from the part
     */
    record Source(DispatcherMailbox dispatcher, Subscription reader, Runnable onDetached) {
        Source(DispatcherMailbox dispatcher, Subscription reader) {
            this(dispatcher, reader, () -> {});
        }
    }

    /** @param name of the queue */
    WholeQueue(String name, Consumer consumer, boolean browses) {
        this(name, consumer, browses, true);
    }

    private WholeQueue(String name, Consumer consumer, boolean browses, boolean ofQueue) {
        this.name = name;
        this.consumer = consumer;
        this.browses = browses;
        this.ofQueue = ofQueue;
    }

    /** Serves a consumer of a topic. */
    static WholeQueue ofTopic(String name, Consumer consumer) {
        return new WholeQueue(name, consumer, false, false);
    }

    boolean isOfQueue() {
        return ofQueue;
    }

    String name() {
        return name;
    }

    boolean browses() {
        return browses;
    }

    /** Hears that the part in that shard ends, and the consumer with its other parts does not. */
    synchronized void leaves(int shard) {
        for (Part part : parts) {
            part.leaving |= part.shard() == shard;
        }
    }

    /** Gives the part that was held its share of the credit from now on. */
    synchronized void release() {
        boolean wasHeld = false;
        for (Part part : parts) {
            wasHeld |= part.held;
            part.held = false;
        }
        if (wasHeld && !ended && draining < 0) {
            divide();
        }
    }

    /** Ends the consumer, which reads nothing more. */
    synchronized void end(Refusal refusal) {
        if (!ended) {
            ended = true;
            consumer.ended(refusal);
            consumer.mailbox().wake(); // no dispatcher's pass does
        }
    }

    /** Attaches the consumer to a part, unless it is attached to it already. */
    void add(Source source) {
        add(source, false);
    }

    /** Attaches the consumer likewise. @param held whether the part gets no credit before {@link #release} */
    synchronized void add(Source source, boolean held) {
        if (ended) {
            source.onDetached().run();
            return;
        }
        if (parts.stream().anyMatch(part -> part.source.reader().equals(source.reader()))) {
            return;
        }
        Part added = new Part(parts.size(), source);
        added.held = held;
        List<Part> all = new ArrayList<>(parts);
        all.add(added);
        parts = List.copyOf(all);
        if (browses) {
            source.dispatcher().browse(added, source.reader());
        } else {
            source.dispatcher().attach(added, source.reader());
        }
        if (draining < 0) {
            divide();
        }
    }

    /** Returns the consumer as the dispatcher of that part knows it. */
    Part part(Subscription reader) {
        for (Part part : parts) {
            if (part.source.reader().equals(reader)) {
                return part;
            }
        }
        throw new IllegalArgumentException(reader + " is no part of what " + consumer.description() + " reads");
    }

    /** Returns the part in that shard; null if the consumer reads none there. Thread: any. */
    Source source(int shard) {
        return parts.stream()
                .filter(part -> part.shard() == shard && !part.gone)
                .findFirst()
                .map(part -> part.source)
                .orElse(null);
    }

    /** Tells whether the consumer reads a part in the shard of that number. Thread: any. */
    boolean reads(int shard) {
        return source(shard) != null;
    }

    // ---- from the consumer

    synchronized void credit(long newLimit, boolean drain) {
        if (ended) {
            return;
        }
        limit = newLimit;
        giveWaiting();
        if (drain) {
            drainLimit = newLimit;
            draining = -1;
            drainNext();
        } else {
            draining = -1;
            divide();
        }
    }

    /** Takes the credit of all parts back, and says so once each of them has said it. */
    synchronized void recall() {
        if (ended) {
            return;
        }
        draining = -1;
        limit = given; // what comes until then waits here
        List<Part> asked = parts.stream().filter(part -> !part.gone).toList();
        asked.forEach(part -> part.recalling = true);
        if (asked.isEmpty()) {
            endRecall();
        }
        asked.forEach(part -> part.source.dispatcher().recall(part));
    }

    void detach(List<Delivery> unsettled, boolean lost) {
        synchronized (this) {
            ended = true;
            waiting.clear(); // the dispatchers take back what is on its way
        }
        for (Part part : parts) {
            List<Delivery> its = unsettled.stream()
                    .filter(delivery -> delivery.subscription().equals(part.source.reader()))
                    .toList();
            part.source.dispatcher().detach(part, its, lost);
            part.source.onDetached().run();
        }
    }

    // ---- credit

    /** Gives each part its share of the credit that nobody has yet, and one to a part that has none. */
    private void divide() {
        if (browses) {
            browseOn();
            return;
        }
        long free = limit - given - waiting.size();
        if (limit <= given) {
            return;
        }
        List<Part> all = there();
        for (Part part : all) {
            free -= part.outstanding();
        }
        long share = Math.max(0, free / Math.max(1, all.size()));
        for (Part part : all) {
            long more = part.outstanding() == 0 ? Math.max(1, share) : share;
            if (more > 0 && (part.outstanding() == 0 || share > part.outstanding() / 2)) {
                part.allow(more, false);
            }
        }
    }

    /** Returns the parts that are served: all, unless the address moves, or has moved while it was read. */
    private List<Part> there() {
        for (Part part : parts) {
            if (part.isOut()) {
                return parts.stream().filter(each -> !each.isOut()).toList();
            }
        }
        return parts;
    }

    /** Gives all credit to the part that the browser has come to. A drain has the part say that it has no more. */
    private void browseOn() {
        while (browsing < parts.size() && parts.get(browsing).gone) {
            browsing++;
        }
        if (browsing < parts.size()) {
            Part part = parts.get(browsing);
            long more = limit - given - part.outstanding();
            if (more > 0) {
                part.allow(more, true);
            }
        }
    }

    private void giveWaiting() {
        if (given < limit && !waiting.isEmpty()) {
            while (given < limit && !waiting.isEmpty()) {
                given++;
                consumer.deliver(waiting.remove());
            }
            consumer.mailbox().wake(); // no dispatcher's pass does
        }
    }

    // ---- draining, one part after the other

    private void drainNext() {
        do {
            draining++;
        } while (draining < parts.size() && parts.get(draining).isOut());
        if (given >= limit || draining == parts.size()) {
            endDrain();
        } else {
            Part part = parts.get(draining);
            part.allow(Math.max(0, limit - given - part.outstanding()), true);
        }
    }

    private void endDrain() {
        draining = -1;
        giveWaitingBack();
        given = limit; // the rest is void
        consumer.drained(drainLimit);
        consumer.mailbox().wake();
    }

    private void giveWaitingBack() {
        for (Delivery unwanted; (unwanted = waiting.poll()) != null; ) {
            Part part = part(unwanted.subscription());
            part.dispatcher().released(part, unwanted);
        }
    }

    private void endRecall() {
        if (parts.stream().noneMatch(part -> part.recalling)) {
            giveWaitingBack();
            consumer.recalled();
            consumer.mailbox().wake(); // no dispatcher's pass may do so
        }
    }

    /** Is the consumer of one part, for its dispatcher. */
    final class Part implements Consumer {
        private final int number;
        private final Source source;
        private long told; // limit that the dispatcher knows
        private long got; // deliveries that came, and credit voided by drains
        private long drainTold;
        private boolean leaving; // its address has moved: when the part ends, the consumer does not
        private boolean held; // it has no credit: what the old home has comes first
        private boolean recalling; // its dispatcher has been asked for its credit, and has not answered
        private volatile boolean gone; // it has ended

        private Part(int number, Source source) {
            this.number = number;
            this.source = source;
        }

        DispatcherMailbox dispatcher() {
            return source.dispatcher();
        }

        private int shard() {
            return ShardIds.shardOf(source.reader().id());
        }

        private boolean isOut() {
            return gone || held;
        }

        private long outstanding() {
            return told - got;
        }

        private void allow(long more, boolean drain) {
            told += more;
            drainTold = told;
            source.dispatcher().credit(this, told, drain);
        }

        @Override
        public Selector selector() {
            return consumer.selector();
        }

        @Override
        public Choice choice() {
            return consumer.choice();
        }

        @Override
        public void deliver(Delivery delivery) {
            synchronized (WholeQueue.this) {
                got++;
                if (ended) {
                    return; // the detach gives it back
                }
                if (given < limit) {
                    given++;
                    consumer.deliver(delivery);
                } else {
                    waiting.add(delivery);
                }
                if (draining < 0) {
                    divide();
                }
            }
        }

        @Override
        public void drained(long its) {
            synchronized (WholeQueue.this) {
                if (ended) {
                    return;
                }
                if (got < its && browsing == number) {
                    browsing++; // it has less than it might have shown
                }
                got = Math.max(got, its); // the unused credit is void, whatever the consumer has asked since
                if (draining == number && its == drainTold) {
                    drainNext();
                } else if (draining < 0) {
                    divide();
                }
            }
        }

        @Override
        public void recalled() {
            synchronized (WholeQueue.this) {
                recalling = false;
                told = got; // what it was allowed besides does not come
                if (!ended) {
                    endRecall();
                }
            }
        }

        @Override
        public void ended(Refusal refusal) {
            synchronized (WholeQueue.this) {
                if (leaving) {
                    isGone();
                } else if (!ended) {
                    ended = true;
                    consumer.ended(refusal);
                }
            }
        }

        /** Gives its credit to the other parts. The consumer may still settle what it got of this one. */
        private void isGone() {
            gone = true;
            got = told;
            if (ended) {
                return;
            }
            if (recalling) {
                recalling = false;
                endRecall();
            } else if (draining == number) {
                drainNext();
            } else if (draining < 0) {
                divide();
            }
        }

        @Override
        public Mailbox mailbox() {
            return consumer.mailbox();
        }

        @Override
        public String description() {
            return parts.size() == 1 ? consumer.description() : consumer.description() + ", part " + shard();
        }
    }
}

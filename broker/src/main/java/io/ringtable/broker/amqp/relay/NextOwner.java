package io.ringtable.broker.amqp.relay;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.ringtable.broker.amqp.carried.HandedOver;
import io.ringtable.broker.amqp.link.Conditions;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.types.transport.ConnectionError;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Finds the next owner of one shard for the links of one event loop. The last owner has handed them over (ADR 70), or
 * is lost (ADR 76). One link at a time asks, until it is served. Then all others go there.
 * <p>
 * Thread: the event loop. Failure: a link that is not served in time gives up.
 */
final class NextOwner {
    private static final long PATIENCE_MS = 10_000;
    /** Bounds the wait for the lease of an owner that is lost, and for the news of who has taken its shard. */
    private static final int LEASES = 2;

    private static final long PAUSE_LEAST_MS = 20;
    private static final long PAUSE_MOST_MS = 100;

    /** Is a link without an owner. */
    interface Moving {
        /** Tells whether anybody needs the link still. */
        boolean isWanted();

        /** Goes on here, if this node is the owner now. @return false if it is not */
        boolean goesOnHere();

        /** Returns the owner as this node sees it; null if it sees none. */
        RemoteHome seen();

        /** Attaches at a node, and says what came of it. */
        void attach(Relay relay);

        /** Gives up. */
        void giveUp(ErrorCondition why);

        /** Hears that it waits no more, since it is not wanted. */
        default void unwanted() {}
    }

    private final Relays relays;
    private final EventLoop loop;
    private final ArrayDeque<Place> waiting = new ArrayDeque<>();
    private Place asking; // null if nobody does
    private boolean resting; // before the next question
    private long pauseMs = PAUSE_LEAST_MS;

    NextOwner(Relays relays, EventLoop loop) {
        this.relays = relays;
        this.loop = loop;
    }

    /** Has a link wait. @param to the node that is to be the next owner */
    Place wait(Moving link, HandedOver to) {
        return wait(
                link,
                relays.isSelf(to.node()) ? null : new RemoteHome(to.shard(), to.node(), to.description(), to.url()),
                PATIENCE_MS,
                tooLate(to.shard(), PATIENCE_MS, "which node '" + to.description() + "' was to take over"));
    }

    /** Has messages wait for their first owner. @param refusal for them, if nobody serves the shard in time */
    Place waitForFirst(Moving link, ErrorCondition refusal) {
        return wait(link, null, patienceMs(relays), refusal);
    }

    /** Returns how long anybody waits who was told of no next owner. */
    static long patienceMs(Relays relays) {
        return PATIENCE_MS + LEASES * relays.leaseMs();
    }

    /** Has a link wait whose owner is lost. @param shard that it has lost */
    Place waitForAny(Moving link, int shard, RemoteHome lost) {
        long patienceMs = patienceMs(relays);
        String since = "since node '" + lost.description() + "' was lost";
        return wait(link, null, patienceMs, tooLate(shard, patienceMs, since));
    }

    private static ErrorCondition tooLate(int shard, long patienceMs, String what) {
        return Conditions.of(
                ConnectionError.CONNECTION_FORCED,
                "RT-4615 no node has served shard " + shard + " for " + patienceMs + " ms, " + what
                        + ": connect again");
    }

    private Place wait(Moving link, RemoteHome told, long patienceMs, ErrorCondition tooLate) {
        Place place = new Place(link, told, patienceMs, tooLate);
        waiting.add(place);
        loop.execute(this::next); // the caller keeps the place first
        return place;
    }

    private void next() {
        while (asking == null && !resting && !waiting.isEmpty()) {
            asking = waiting.remove();
            asking.ask();
        }
    }

    private void rest() {
        if (!resting) {
            resting = true;
            loop.schedule(
                    () -> {
                        resting = false;
                        next();
                    },
                    pauseMs,
                    TimeUnit.MILLISECONDS);
            pauseMs = Math.min(PAUSE_MOST_MS, 2 * pauseMs);
        }
    }

    /** Is the place of one link among those that wait. */
    final class Place {
        private final Moving link;
        private final RemoteHome told; // the node that is to be the next owner; null if nobody has said which
        private final ErrorCondition tooLate;
        private final Future<?> deadline;
        private int questions;
        private boolean over;

        private Place(Moving link, RemoteHome told, long patienceMs, ErrorCondition tooLate) {
            this.link = link;
            this.told = told;
            this.tooLate = tooLate;
            this.deadline = loop.schedule(this::tooLate, patienceMs, TimeUnit.MILLISECONDS);
        }

        private void ask() {
            if (over || !link.isWanted()) {
                boolean waited = !over;
                left();
                if (waited) {
                    link.unwanted();
                }
                return;
            }
            if (link.goesOnHere()) {
                served();
                return;
            }
            RemoteHome home = candidate();
            if (home == null) {
                notYet();
                return;
            }
            Relay relay = relays.to(loop, home);
            if (told != null) {
                relay.whenOpen(() -> link.attach(relay), why -> notYet());
            } else if (relay.isRunning()) {
                link.attach(relay);
            } else {
                notYet(); // the node that is seen may be the one that is lost, and another one is seen meanwhile
            }
        }

        /** Returns the node that was told and the one that is seen in turns, as either may be the wrong one. */
        private RemoteHome candidate() {
            RemoteHome seen = link.seen();
            if (questions++ % 2 == 1 && seen != null) {
                return seen;
            }
            return told == null ? seen : told;
        }

        /** Hears that the shard is served where the link has asked. */
        void served() {
            end();
            pauseMs = PAUSE_LEAST_MS;
            List<Place> others = List.copyOf(waiting);
            waiting.clear();
            others.forEach(Place::ask);
        }

        /** Hears that it is not. */
        void notYet() {
            if (!over) {
                if (asking == this) {
                    asking = null;
                }
                waiting.add(this);
                rest();
            }
        }

        /** Has the link ask a little later. */
        void rest() {
            NextOwner.this.rest();
        }

        /** Hears that nobody needs the link any more. */
        void left() {
            end();
            loop.execute(NextOwner.this::next);
        }

        private void end() {
            over = true;
            deadline.cancel(false);
            if (asking == this) {
                asking = null;
            }
        }

        private void tooLate() {
            if (!over) {
                waiting.remove(this);
                left();
                link.giveUp(tooLate);
            }
        }
    }
}

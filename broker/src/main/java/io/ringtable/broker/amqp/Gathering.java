package io.ringtable.broker.amqp;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.ringtable.broker.status.Snapshot;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Collects one part of what connections have open. Each event loop goes through its own connections, some in a turn,
 * and describes no more than may be in the part. Then the descriptions are put in order. A loop that does not answer
 * within {@value #WAIT_MS} ms is left out and named.
 * <p>
 * Thread: any begins; each event loop describes; Netty's global executor puts together.
 */
final class Gathering<T> {
    static final int WAIT_MS = 1_000;
    /** Connections that an event loop looks at before others have their turn. */
    private static final int IN_TURN = 100;

    /** Asks one connection what it has. Thread: its event loop. */
    interface Question<T> {
        void ask(OpenClient client, Found<T> found);
    }

    private record Item<T>(Cursor place, T status) {}

    private final int most;
    private final Cursor after;
    private final boolean inOrder;
    private final Question<T> question;

    /**
     * Prepares a part.
     *
     * @param most items
     * @param after the place behind which the part begins
     * @param inOrder whether the order of the connections' numbers is that of the items' places, so that a loop may
     *     stop when it has enough
     */
    Gathering(int most, Cursor after, boolean inOrder, Question<T> question) {
        this.most = most;
        this.after = after;
        this.inOrder = inOrder;
        this.question = question;
    }

    /** Collects from these connections, which are in the order of their numbers. */
    CompletionStage<Snapshot<T>> among(Collection<OpenClient> clients) {
        Map<EventLoop, Walk> walks = new IdentityHashMap<>();
        for (OpenClient client : clients) {
            walks.computeIfAbsent(client.loop(), loop -> new Walk(loop, client.loopName(), clients.iterator()));
        }
        List<Walk> all = List.copyOf(walks.values());
        all.forEach(Walk::begin);
        Future<?> end =
                GlobalEventExecutor.INSTANCE.schedule(() -> all.forEach(Walk::end), WAIT_MS, TimeUnit.MILLISECONDS);
        return CompletableFuture.allOf(all.stream().map(walk -> walk.answer).toArray(CompletableFuture[]::new))
                .thenApplyAsync(
                        done -> {
                            end.cancel(false);
                            return together(all);
                        },
                        GlobalEventExecutor.INSTANCE);
    }

    private Snapshot<T> together(List<Walk> walks) {
        List<Item<T>> items = new ArrayList<>();
        List<String> silent = new ArrayList<>();
        for (Walk walk : walks) {
            Found<T> found = walk.answer.join();
            if (found == null) {
                silent.add(walk.name);
            } else {
                items.addAll(found.items);
            }
        }
        items.sort((one, other) -> one.place().compareTo(other.place()));
        boolean isLast = items.size() <= most;
        List<Item<T>> part = isLast ? items : items.subList(0, most);
        silent.sort(null);
        return new Snapshot<>(
                part.stream().map(Item::status).toList(),
                isLast ? null : part.get(most - 1).place().toString(),
                silent);
    }

    /** Holds the first items of one event loop, one more than may be in the part. */
    static final class Found<T> {
        private final int most;
        private final Cursor after;
        private final boolean inOrder;
        private final List<Item<T>> items = new ArrayList<>();

        private Found(int most, Cursor after, boolean inOrder) {
            this.most = most;
            this.after = after;
            this.inOrder = inOrder;
        }

        /** Tells whether an item at that place may be in the part. */
        boolean wants(Cursor place) {
            return place.compareTo(after) > 0 && !isFull();
        }

        /** Adds an item if it may be in the part. @param status describes it */
        void add(Cursor place, Supplier<T> status) {
            if (wants(place)) {
                items.add(new Item<>(place, status.get()));
                if (!inOrder && items.size() > 2 * most) {
                    keepFirst();
                }
            }
        }

        private boolean isFull() {
            return inOrder && items.size() > most;
        }

        private void keepFirst() {
            items.sort((one, other) -> one.place().compareTo(other.place()));
            items.subList(most + 1, items.size()).clear();
        }
    }

    /** Goes through the connections of one event loop, on it. */
    private final class Walk implements Runnable {
        private final EventLoop loop;
        private final String name;
        private final Iterator<OpenClient> clients; // of all loops
        private final Found<T> found = new Found<>(most, after, inOrder);
        private final CompletableFuture<Found<T>> answer = new CompletableFuture<>(); // null if it came too late

        Walk(EventLoop loop, String name, Iterator<OpenClient> clients) {
            this.loop = loop;
            this.name = name;
            this.clients = clients;
        }

        void begin() {
            try {
                loop.execute(this);
            } catch (RejectedExecutionException ended) {
                answer.complete(found); // with all connections of the loop
            }
        }

        @Override
        public void run() {
            int looked = 0;
            while (clients.hasNext() && !found.isFull() && !answer.isDone()) {
                OpenClient client = clients.next();
                if (client.loop() == loop) {
                    question.ask(client, found);
                    looked++;
                }
                if (looked == IN_TURN) {
                    begin();
                    return;
                }
            }
            answer.complete(found);
        }

        void end() {
            answer.complete(null);
        }
    }
}

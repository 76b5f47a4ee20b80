package io.ringtable.broker.amqp;

import io.netty.util.concurrent.GlobalEventExecutor;
import io.ringtable.broker.amqp.OpenId.Kind;
import io.ringtable.broker.amqp.carried.CarriedClient;
import io.ringtable.broker.amqp.carried.HandedOver;
import io.ringtable.broker.amqp.link.AmqpLink;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.transaction.LocalTransaction;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.status.ConnectionStatus;
import io.ringtable.broker.status.LinkStatus;
import io.ringtable.broker.status.Snapshot;
import io.ringtable.broker.status.TransactionStatus;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.apache.qpid.protonj2.types.transport.LinkError;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows the connections of clients by their numbers, and tells operators what each of them has open. Clients that
 * another node carries stand beside them. Closes what an operator names, and what ends with a shard. The event loop of
 * each client describes it ({@link Gathering}).
 * <p>
 * Thread: any; stages complete on Netty's global executor. Failure: {@link Refusal.Refused}, thrown for a wrong cursor
 * or id. Stages fail with it for what is not open, and for an event loop that does not answer in time.
 */
public final class OpenConnections {
    private static final Logger LOG = LoggerFactory.getLogger(OpenConnections.class);
    private static final int LEAVE_MS = 2_000;
    private static final long FINISH_MS = 5_000;

    private final ConcurrentNavigableMap<Long, OpenClient> clients = new ConcurrentSkipListMap<>();
    private final Set<AmqpTransport> transports = ConcurrentHashMap.newKeySet();
    private final AtomicInteger sockets = new AtomicInteger();
    private final AtomicInteger open = new AtomicInteger(); // beyond their open frames

    // ---- for the server

    /** Adds a connection. @return how many there are now */
    int add(AmqpTransport transport) {
        transports.add(transport);
        clients.put(transport.number(), transport);
        return sockets.incrementAndGet();
    }

    /** Adds a client that another node carries, for operators. */
    void add(RelayedClient client) {
        clients.put(client.number(), client);
    }

    /** Removes a connection. @return false if it was not there */
    boolean remove(AmqpTransport transport) {
        if (!transports.remove(transport)) {
            return false;
        }
        clients.remove(transport.number());
        sockets.decrementAndGet();
        return true;
    }

    /** Removes a client that no node carries any more. */
    void remove(RelayedClient client) {
        clients.remove(client.number());
    }

    /** Returns the connections of every state, while some come and go. */
    Collection<AmqpTransport> all() {
        return transports;
    }

    /** Counts a connection as open, until {@link #leave}. @return false if as many are open already */
    boolean enter(int most) {
        if (open.incrementAndGet() > most) {
            open.decrementAndGet();
            return false;
        }
        return true;
    }

    void leave() {
        open.decrementAndGet();
    }

    // ---- what is open

    /**
     * Shows connections in the order in which they came, those before their login too.
     *
     * @param most connections, at least 1
     * @param after the cursor of the part before; null = from the first
     * @param filter text in a connection's id, user, container id or address, whatever its case; null = all
     */
    public CompletionStage<Snapshot<ConnectionStatus>> connections(int most, String after, String filter) {
        Cursor from = Cursor.of(after);
        String wanted = filter == null ? null : filter.toLowerCase(Locale.ROOT);
        return new Gathering<ConnectionStatus>(most, from, true, (client, found) -> {
                    Cursor place = new Cursor(client.number(), 0, 0);
                    if (wanted == null) {
                        found.add(place, client::status);
                    } else if (found.wants(place)) {
                        ConnectionStatus status = client.status();
                        if (text(status).contains(wanted)) {
                            found.add(place, () -> status);
                        }
                    }
                })
                .among(clients.tailMap(from.first(), true).values());
    }

    private static String text(ConnectionStatus status) {
        return String.join("\n", status.id(), status.user(), status.container(), status.remote())
                .toLowerCase(Locale.ROOT);
    }

    /**
     * Shows links in the order in which their connections came, and then in that in which they were attached.
     *
     * @param most links, at least 1
     * @param after as in {@link #connections}
     * @param connection id of the connection whose links are wanted; null = all
     * @param address that the links publish to or receive from; null = all
     */
    public CompletionStage<Snapshot<LinkStatus>> links(int most, String after, String connection, String address) {
        Cursor from = Cursor.of(after);
        Gathering<LinkStatus> gathering = new Gathering<>(most, from, true, (client, found) -> {
            ServedClient served = client.served();
            if (served != null) {
                served.links().forEach((number, link) -> {
                    Cursor place = new Cursor(client.number(), number, 0);
                    if (found.wants(place)) {
                        LinkStatus status = served.status(link, client.id());
                        if (address == null || address.equals(status.address())) {
                            found.add(place, () -> status);
                        }
                    }
                });
            }
        });
        return gathering.among(
                connection == null
                        ? clients.tailMap(from.first(), true).values()
                        : List.of(client(Kind.CONNECTION, connection)));
    }

    /**
     * Shows open transactions, the oldest first.
     *
     * @param most transactions, at least 1
     * @param after as in {@link #connections}
     * @param connection id of the connection whose transactions are wanted; null = all
     */
    public CompletionStage<Snapshot<TransactionStatus>> transactions(int most, String after, String connection) {
        return new Gathering<TransactionStatus>(most, Cursor.of(after), false, (client, found) -> {
                    if (client.served() != null) {
                        client.served()
                                .transactions()
                                .forEach(each -> found.add(
                                        new Cursor(each.since().toEpochMilli(), client.number(), each.number()),
                                        () -> each.status(client.id())));
                    }
                })
                .among(connection == null ? clients.values() : List.of(client(Kind.CONNECTION, connection)));
    }

    /** Shows one connection. */
    public CompletionStage<ConnectionStatus> connection(String id) {
        return on(Kind.CONNECTION, id, (client, part) -> client.status());
    }

    // ---- what ends with a shard

    /**
     * Closes the connections that hold anything of a shard with {@code amqp:connection:forced}, so that their clients
     * connect again. The others go on. Returns when each event loop has done so, or after {@value #LEAVE_MS} ms.
     * Thread: any that is not an event loop.
     *
     * @param shard number of a shard that new links no longer reach
     * @param why the shard is not served, for people
     */
    public void leave(int shard, String why) {
        String text = textOf(shard, why);
        ask(shard, transport -> transport.ifBegun(connection -> connection.leave(shard, text)));
    }

    /**
     * Does the same in order, for a shard that still runs and that another node takes over. Links go to the other node,
     * each client's when they have their answers (ADR 70, ADR 72). A connection that holds what cannot go gives no more
     * credit, and closes when all that it has handed in has its answer. Returns when nothing is left, or after
     * {@value #FINISH_MS} ms.
     *
     * @param shard number of a shard that new links no longer reach
     * @param why the shard ends here, for people
     * @param to the other node
     */
    public void finish(int shard, String why, Home.Owner to) {
        String text = textOf(shard, why);
        HandedOver next = new HandedOver(shard, to.nodeId(), to.description(), to.url());
        Queue<CompletableFuture<Void>> going = new ConcurrentLinkedQueue<>();
        ask(shard, transport -> transport.ifBegun(connection -> going.add(connection.finish(next, text))));
        CompletableFuture.allOf(going.toArray(CompletableFuture[]::new))
                .completeOnTimeout(null, FINISH_MS, TimeUnit.MILLISECONDS)
                .join();
    }

    private static String textOf(int shard, String why) {
        return CarriedClient.away(shard, why);
    }

    /** Does something with each connection on its event loop, and waits for a moment until all have. */
    private void ask(int shard, Consumer<AmqpTransport> action) {
        List<AmqpTransport> all = List.copyOf(transports);
        CountDownLatch looked = new CountDownLatch(all.size());
        for (AmqpTransport transport : all) {
            try {
                transport.channel().eventLoop().execute(() -> {
                    try {
                        action.accept(transport);
                    } finally {
                        looked.countDown();
                    }
                });
            } catch (RejectedExecutionException ended) {
                looked.countDown();
            }
        }
        try {
            if (!looked.await(LEAVE_MS, TimeUnit.MILLISECONDS)) {
                LOG.info("{} connections have not yet looked whether they use shard {}", looked.getCount(), shard);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- what an operator ends

    /**
     * Closes a connection with {@code amqp:connection:forced}; its client may connect again.
     *
     * @param by who closes it, for the client
     */
    public CompletionStage<Void> close(String id, String by) {
        return end(Kind.CONNECTION, id, (client, part) -> {
            client.closeFor("RT-4372 an operator closed the connection: " + by);
            return true;
        });
    }

    /** Detaches a link with {@code amqp:link:detach-forced}. A durable subscription stays. */
    public CompletionStage<Void> detach(String id, String by) {
        return end(Kind.LINK, id, (client, part) -> {
            AmqpLink link =
                    client.served() == null ? null : client.served().links().find(part);
            if (link == null) {
                return null;
            }
            link.detach(Conditions.of(LinkError.DETACH_FORCED, "RT-4373 an operator detached the link: " + by));
            return true;
        });
    }

    /**
     * Rolls a transaction back with {@code amqp:transaction:rollback}, which its client hears when it commits. Others
     * get what the transaction held at once.
     */
    public CompletionStage<Void> rollBack(String id, String by) {
        ErrorCondition why = LocalTransaction.rolledBack("RT-4374 an operator rolled the transaction back: " + by);
        return end(
                Kind.TRANSACTION,
                id,
                (client, part) -> client.served() != null
                                && client.served().transactions().rollBack(part, why)
                        ? true
                        : null);
    }

    /** Asks what an id names. Thread: the connection's event loop. */
    private interface Action<T> {
        /** @return null if the connection has no such part */
        T on(OpenClient client, long part);
    }

    private CompletionStage<Void> end(Kind kind, String id, Action<Boolean> action) {
        return on(kind, id, action).thenAccept(done -> {});
    }

    private <T> CompletionStage<T> on(Kind kind, String id, Action<T> action) {
        OpenClient client = client(kind, id);
        long part = OpenId.of(kind, id).part();
        CompletableFuture<T> answer = new CompletableFuture<>();
        Future<?> tooLate = GlobalEventExecutor.INSTANCE.schedule(
                () -> answer.completeExceptionally(silent(client)), Gathering.WAIT_MS, TimeUnit.MILLISECONDS);
        try {
            client.loop().execute(() -> client.run(() -> answer.complete(action.on(client, part))));
        } catch (RejectedExecutionException ended) {
            answer.complete(null);
        }
        return answer.thenApplyAsync(
                found -> {
                    tooLate.cancel(false);
                    if (found == null) {
                        throw kind.notFound(id);
                    }
                    return found;
                },
                GlobalEventExecutor.INSTANCE);
    }

    private static Refusal.Refused silent(OpenClient client) {
        return new Refusal.Refused(new Refusal(
                Refusal.Reason.UNAVAILABLE,
                "RT-4376",
                client.id() + " is served by " + client.loopName() + ", which did not answer within "
                        + Gathering.WAIT_MS + " ms: ask again; it may still do what was asked"));
    }

    private OpenClient client(Kind kind, String id) {
        OpenClient client = clients.get(OpenId.of(kind, id).connection());
        if (client == null) {
            throw kind.notFound(id);
        }
        return client;
    }
}

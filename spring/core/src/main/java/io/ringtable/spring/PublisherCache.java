package io.ringtable.spring;

import io.ringtable.client.Address;
import io.ringtable.client.Publisher;
import io.ringtable.client.PublisherOptions;
import io.ringtable.client.RingtableClient;
import java.util.Comparator;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;

/**
 * Keeps one publisher for each address, up to a bound. Beyond it the publisher that has rested longest is closed, which
 * waits for the answers to its messages. Publishers in use stay, so as many threads as publish at the same time may
 * hold that many more.
 * <p>
 * Thread: any. A thread that finds its publisher waits for nobody; one that opens a publisher waits for the broker and
 * for others that open one.
 */
final class PublisherCache implements AutoCloseable {

    private final RingtableClient client;
    private final Function<Address, PublisherOptions> options;
    private final int size;
    private final Map<Address, Entry> entries = new ConcurrentHashMap<>();
    private final Queue<Publisher> forgotten = new ConcurrentLinkedQueue<>();
    private final ReentrantLock opening = new ReentrantLock();
    private final AtomicLong uses = new AtomicLong();

    /** Holds a publisher, used under the read lock and closed under the write lock. */
    private static final class Entry {
        private final Publisher publisher;
        private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
        private volatile long lastUse;
        private boolean closed; // written under the write lock

        private Entry(Publisher publisher) {
            this.publisher = publisher;
        }
    }

    PublisherCache(RingtableClient client, int size, Function<Address, PublisherOptions> options) {
        this.client = client;
        this.size = size;
        this.options = options;
    }

    /**
     * Calls with the publisher of the address, which stays open meanwhile.
     *
     * @throws io.ringtable.client.RingtableException as {@link RingtableClient#publisher(PublisherOptions)}
     */
    <T> T with(Address address, Function<Publisher, T> use) {
        while (true) {
            Entry entry = entries.get(address);
            if (entry == null) {
                entry = open(address);
            }
            entry.lock.readLock().lock();
            try {
                if (!entry.closed) {
                    entry.lastUse = uses.incrementAndGet();
                    return use.apply(entry.publisher);
                }
            } finally {
                entry.lock.readLock().unlock();
            }
        }
    }

    /**
     * Lets go of a publisher that takes no more messages, so that the next use opens another. Does not block, and may
     * be called on the client's I/O thread: whoever opens the next publisher closes this one.
     */
    void forget(Publisher useless) {
        Entry entry = entries.get(useless.address());
        if (entry != null && entry.publisher == useless && entries.remove(useless.address(), entry)) {
            forgotten.add(useless);
        }
    }

    int count() {
        return entries.size();
    }

    private Entry open(Address address) {
        closeForgotten();
        Entry rested = null;
        Entry opened;
        opening.lock();
        try {
            Entry present = entries.get(address);
            if (present != null) {
                return present;
            }
            if (entries.size() >= size) {
                rested = takeLongestRested();
            }
            opened = new Entry(client.publisher(options.apply(address)));
            opened.lastUse = uses.incrementAndGet();
            entries.put(address, opened);
        } finally {
            opening.unlock();
            if (rested != null) {
                rested.publisher.close();
            }
        }
        return opened;
    }

    private void closeForgotten() {
        Publisher next;
        while ((next = forgotten.poll()) != null) {
            next.close();
        }
    }

    /** @return null if all are in use */
    private Entry takeLongestRested() {
        return entries.entrySet().stream()
                .sorted(Comparator.comparingLong(each -> each.getValue().lastUse))
                .filter(each -> retire(each.getValue()))
                .findFirst()
                .map(each -> {
                    entries.remove(each.getKey(), each.getValue());
                    return each.getValue();
                })
                .orElse(null);
    }

    private static boolean retire(Entry entry) {
        if (!entry.lock.writeLock().tryLock()) {
            return false;
        }
        try {
            entry.closed = true;
            return true;
        } finally {
            entry.lock.writeLock().unlock();
        }
    }

    /** Closes all publishers; each waits for the answers to its messages, at most for the client's close time-out. */
    @Override
    public void close() {
        closeForgotten();
        entries.values().forEach(entry -> {
            entry.lock.writeLock().lock();
            try {
                entry.closed = true;
            } finally {
                entry.lock.writeLock().unlock();
            }
            entries.remove(entry.publisher.address(), entry);
            entry.publisher.close();
        });
    }
}

package io.ringtable.acceptance.harness;

import io.ringtable.broker.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Stands between a broker and its database and passes bytes on, until it is paused. A paused proxy takes bytes in, as a
 * network does, and passes nothing on in either direction. When it resumes, it passes the held bytes on, late.
 * <p>
 * Thread: any calls; each connection has two threads of its own.
 */
public final class DatabaseProxy implements AutoCloseable {
    private static final int BUFFER_BYTES = 64 * 1024;

    private static final Pattern SERVER = Pattern.compile("//([^:;/]+):(\\d+)");

    private final String host;
    private final int port;
    private final ServerSocket door;
    private final Set<Pair> pairs = ConcurrentHashMap.newKeySet();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition resumed = lock.newCondition();
    private boolean paused; // guarded by lock

    /** The two sockets of one connection: they end together. */
    private record Pair(Socket client, Socket server) {
        void close() {
            closed(client);
            closed(server);
        }

        private static void closed(Socket socket) {
            try {
                socket.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** @param port of the database on this machine */
    public DatabaseProxy(int port) {
        this(InetAddress.getLoopbackAddress().getHostAddress(), port);
    }

    private DatabaseProxy(String host, int port) {
        this.host = host;
        this.port = port;
        try {
            door = new ServerSocket(Ports.free(), 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start("database-proxy", this::accept);
    }

    /** @param url of JDBC, with host and port of the database */
    public static DatabaseProxy to(String url) {
        Matcher server = SERVER.matcher(url);
        if (!server.find()) {
            throw new IllegalArgumentException("no host:port in " + url);
        }
        return new DatabaseProxy(server.group(1), Integer.parseInt(server.group(2)));
    }

    /** The same URL, by way of this proxy. */
    public String through(String url) {
        return SERVER.matcher(url).replaceFirst("//127.0.0.1:" + port());
    }

    /** The port that the broker connects to. */
    public int port() {
        return door.getLocalPort();
    }

    /** The ports from which the database sees this broker's connections. */
    public Set<Integer> serverSidePorts() {
        return pairs.stream().map(pair -> pair.server().getLocalPort()).collect(Collectors.toSet());
    }

    /** From now on nothing is passed on. A connection made meanwhile is taken and not answered. */
    public void pause() {
        lock.lock();
        try {
            paused = true;
        } finally {
            lock.unlock();
        }
    }

    /** Passes on the bytes that have waited, in order. */
    public void resume() {
        lock.lock();
        try {
            paused = false;
            resumed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends every connection; what has waited is lost. */
    public void cut() {
        pairs.forEach(Pair::close);
        pairs.clear();
    }

    private void accept() {
        while (!door.isClosed()) {
            try {
                Socket client = door.accept();
                start("database-proxy-connection", () -> connect(client));
            } catch (IOException e) {
                if (!door.isClosed()) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private void connect(Socket client) {
        awaitResumed();
        try {
            Pair pair = new Pair(client, new Socket(host, port));
            client.setTcpNoDelay(true);
            pair.server().setTcpNoDelay(true);
            pairs.add(pair);
            start("database-proxy-answers", () -> pass(pair.server(), pair.client(), pair));
            pass(client, pair.server(), pair);
        } catch (IOException down) {
            Pair.closed(client); // as the database's own port would refuse it
        }
    }

    private void pass(Socket from, Socket to, Pair pair) {
        byte[] bytes = new byte[BUFFER_BYTES];
        try {
            for (int count; (count = from.getInputStream().read(bytes)) >= 0; ) {
                awaitResumed();
                to.getOutputStream().write(bytes, 0, count);
            }
            awaitResumed();
        } catch (IOException ended) {
            // One end is closed: so is the other.
        } finally {
            pair.close();
            pairs.remove(pair);
        }
    }

    private void awaitResumed() {
        lock.lock();
        try {
            while (paused) {
                resumed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    private static void start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            door.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        cut();
        resume();
    }
}

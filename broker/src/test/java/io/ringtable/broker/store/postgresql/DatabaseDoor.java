package io.ringtable.broker.store.postgresql;

import io.ringtable.broker.store.jdbc.StoreSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * Is the way to one database, or to the port of a broker. A test may shut it, hold back what comes, or let it fall
 * silent: then it accepts and never answers.
 */
public final class DatabaseDoor implements AutoCloseable {
    private enum State {
        OPEN,
        SHUT,
        SILENT,
        HELD
    }

    private final URI behind; // of a database; null before a broker
    private final Supplier<InetSocketAddress> address;
    private final ServerSocket listening;
    private final List<Socket> sockets = new ArrayList<>(); // guarded by this
    private volatile State state = State.OPEN; // written by the test under the lock, read by the pumps

    public DatabaseDoor(StoreSettings store) throws IOException {
        this(URI.create(store.properties().url().substring("jdbc:".length())), null);
    }

    /** Makes the way to a broker. @param port that it listens on, asked for each connection */
    public DatabaseDoor(IntSupplier port) throws IOException {
        this(null, port);
    }

    private DatabaseDoor(URI database, IntSupplier port) throws IOException {
        behind = database;
        address = database == null
                ? () -> new InetSocketAddress(InetAddress.getLoopbackAddress(), port.getAsInt())
                : () -> new InetSocketAddress(database.getHost(), database.getPort());
        listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start("door-accept", this::accept);
    }

    /** Returns the port of the door. */
    public int port() {
        return listening.getLocalPort();
    }

    /** JDBC URL of the database through this door. */
    public String url() {
        return "jdbc:" + behind.getScheme() + "://127.0.0.1:" + listening.getLocalPort() + behind.getPath();
    }

    /** Lets everything pass. Connections of before are cut, so that their owners connect again. */
    public void open() throws IOException {
        enter(State.OPEN);
    }

    /** Ends every connection, also each new one. */
    public void shut() throws IOException {
        enter(State.SHUT);
    }

    /** Keeps every connection, and lets nothing pass any more. */
    public synchronized void fallSilent() {
        state = State.SILENT;
    }

    /** Keeps every connection, and holds back what comes. */
    public synchronized void hold() {
        state = State.HELD;
    }

    /** Lets pass what was held back, and all that follows. */
    public synchronized void goOn() {
        state = State.OPEN;
        notifyAll();
    }

    private synchronized void enter(State next) throws IOException {
        state = next;
        notifyAll();
        for (Socket socket : sockets) {
            socket.close();
        }
        sockets.clear();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                admit(listening.accept());
            } catch (IOException e) {
                // one connection less, or the door is closed
            }
        }
    }

    private synchronized void admit(Socket client) throws IOException {
        sockets.add(client);
        client.setTcpNoDelay(true);
        switch (state) {
            case SHUT -> client.close();
            case SILENT -> start("door-silent", () -> pump(client, null));
            case OPEN, HELD -> {
                InetSocketAddress there = address.get();
                Socket server = new Socket(there.getAddress(), there.getPort());
                server.setTcpNoDelay(true);
                sockets.add(server);
                start("door-questions", () -> pump(client, server));
                start("door-answers", () -> pumpAnswers(server, client));
            }
        }
    }

    /** @param to null for a connection that was silent from the beginning */
    private void pump(Socket from, Socket to) {
        try (from;
                to) {
            copy(from, to);
        } catch (IOException e) {
            // the other pump, or the test, has closed the sockets
        }
    }

    /** Passes answers on. While the door is silent, nobody hears either that the other end closes a connection. */
    private void pumpAnswers(Socket from, Socket to) {
        try (from) {
            copy(from, to);
        } catch (IOException e) {
            // as above
        } finally {
            if (state != State.SILENT) {
                close(to);
            }
        }
    }

    private void copy(Socket from, Socket to) throws IOException {
        byte[] buffer = new byte[1 << 16];
        for (int n; (n = from.getInputStream().read(buffer)) >= 0; ) {
            awaitNotHeld();
            if (state != State.SILENT && to != null) {
                to.getOutputStream().write(buffer, 0, n);
            }
        }
    }

    private synchronized void awaitNotHeld() throws IOException {
        while (state == State.HELD) {
            try {
                wait();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // it is of no use any more
        }
    }

    private static void start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listening.close();
        enter(State.SHUT);
    }
}

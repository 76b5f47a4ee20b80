package io.ringtable.broker.store.postgresql;

import io.ringtable.broker.store.jdbc.StoreSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/** Is the way to one database, which a test may shut, or let fall silent: its port accepts and never answers. */
public final class DatabaseDoor implements AutoCloseable {
    private enum State {
        OPEN,
        SHUT,
        SILENT
    }

    private final URI behind;
    private final ServerSocket listening;
    private final List<Socket> sockets = new ArrayList<>(); // guarded by this
    private volatile State state = State.OPEN; // written by the test under the lock, read by the pumps

    public DatabaseDoor(StoreSettings store) throws IOException {
        behind = URI.create(store.properties().url().substring("jdbc:".length()));
        listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start("door-accept", this::accept);
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

    private synchronized void enter(State next) throws IOException {
        state = next;
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
            case OPEN -> {
                Socket server = new Socket(behind.getHost(), behind.getPort());
                server.setTcpNoDelay(true);
                sockets.add(server);
                start("door-questions", () -> pump(client, server));
                start("door-answers", () -> pump(server, client));
            }
        }
    }

    /** @param to null for a connection that was silent from the beginning */
    private void pump(Socket from, Socket to) {
        byte[] buffer = new byte[1 << 16];
        try (from;
                to) {
            for (int n; (n = from.getInputStream().read(buffer)) >= 0; ) {
                if (state != State.SILENT && to != null) {
                    to.getOutputStream().write(buffer, 0, n);
                }
            }
        } catch (IOException e) {
            // the other pump, or the test, has closed the sockets
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

package io.ringtable.broker.store.postgresql;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Is a network between broker and server that can be watched and cut. Counts how often the direction of traffic turns.
 * Cuts a connection between a request and its answer, where nobody knows whether a commit has happened.
 */
final class TamperingProxy implements AutoCloseable {
    private final ServerSocket listening;
    private final int serverPort;
    private final List<Socket> sockets = new ArrayList<>(); // guarded by this
    private final AtomicInteger turns = new AtomicInteger();
    private volatile boolean lastFromServer = true; // written by the pumps in turn
    private volatile boolean loseAnswers; // written by the test, read by the pumps
    private volatile boolean swallowAnswers;

    TamperingProxy(int serverPort) throws IOException {
        this.serverPort = serverPort;
        listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start("proxy-accept", this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    /** Requests that were followed by an answer, or still wait for one, since the last call. */
    int roundTrips() {
        return turns.getAndSet(0);
    }

    /** The next answer does not arrive: the connection is cut instead, after the server has done what it was asked. */
    void loseAnswers(boolean lose) {
        loseAnswers = lose;
    }

    /** No answer arrives, and the connection stays: a network that has forgotten us. */
    void swallowAnswers(boolean swallow) {
        swallowAnswers = swallow;
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                if (!isOpen(client, server)) {
                    return;
                }
                start("proxy-requests", () -> pump(client, server, false));
                start("proxy-answers", () -> pump(server, client, true));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    /** A connection that was on its way while the proxy was closed is cut as well. */
    private synchronized boolean isOpen(Socket client, Socket server) throws IOException {
        if (listening.isClosed()) {
            client.close();
            server.close();
            return false;
        }
        sockets.addAll(List.of(client, server));
        return true;
    }

    private void pump(Socket from, Socket to, boolean fromServer) {
        byte[] buffer = new byte[1 << 16];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                if (!fromServer && lastFromServer) {
                    turns.incrementAndGet();
                }
                lastFromServer = fromServer;
                if (fromServer && loseAnswers) {
                    return; // closes both
                }
                if (!fromServer || !swallowAnswers) {
                    out.write(buffer, 0, n);
                }
            }
        } catch (IOException e) {
            // the other pump has closed the sockets
        }
    }

    private static void start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public synchronized void close() throws IOException {
        listening.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}

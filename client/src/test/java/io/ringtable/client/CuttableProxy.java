package io.ringtable.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A TCP connection that can be cut, with whatever is on its way, without either side's doing. */
final class CuttableProxy implements AutoCloseable {

    private final ServerSocket listener;
    private final int targetPort;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    CuttableProxy(int targetPort) throws IOException {
        this.targetPort = targetPort;
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Cuts all connections; new ones are welcome. */
    void cut() {
        for (Socket socket : sockets) {
            try {
                // Without a farewell: what is in the buffers is gone.
                socket.setSoLinger(true, 0);
                socket.close();
            } catch (IOException alreadyCut) {
                sockets.remove(socket);
            }
        }
    }

    private void accept() {
        try {
            while (!listener.isClosed()) {
                Socket client = listener.accept();
                Socket broker = new Socket(InetAddress.getLoopbackAddress(), targetPort);
                sockets.add(client);
                sockets.add(broker);
                daemon(() -> copy(client, broker));
                daemon(() -> copy(broker, client));
            }
        } catch (SocketException closed) {
            cut();
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    private void copy(Socket from, Socket to) {
        byte[] buffer = new byte[64 * 1024];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            int read;
            while ((read = in.read(buffer)) >= 0) {
                out.write(buffer, 0, read);
            }
        } catch (IOException cut) {
            sockets.remove(from);
        } finally {
            sockets.remove(from);
            sockets.remove(to);
        }
    }

    private static void daemon(Runnable code) {
        Thread thread = new Thread(code, "proxy");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        cut();
    }
}

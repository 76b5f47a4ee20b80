package io.ringtable.broker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds ports that stay free while a broker or a database is down, or is about to start. They lie below those that the
 * system gives to outgoing connections. So a client that reconnects in the meantime cannot take the port that it is
 * trying to reach.
 */
public final class Ports {
    private static final int FIRST = 20_000;
    private static final int AFTER_LAST = 30_000;
    private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

    private Ports() {}

    public static int free() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, AFTER_LAST);
            if (isFree(port) && GIVEN.add(port)) {
                return port;
            }
        }
    }

    public static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (BindException e) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

package io.ringtable.broker.login;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.HexFormat;

/** Tells what failed logins of a peer count against, whichever way it comes. Thread: any. */
public final class LoginOrigin {
    /** Counts the bytes of an IPv6 address that name a network: the owner of one address there has all of them. */
    private static final int NETWORK_BYTES = 8;

    private LoginOrigin() {}

    /** Returns an IPv4 address, or the network of an IPv6 one. */
    public static String of(InetAddress peer) {
        return peer instanceof Inet6Address six
                ? HexFormat.of().formatHex(Arrays.copyOf(six.getAddress(), NETWORK_BYTES))
                : peer.getHostAddress();
    }
}

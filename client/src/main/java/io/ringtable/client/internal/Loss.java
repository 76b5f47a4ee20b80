package io.ringtable.client.internal;

import io.ringtable.client.RingtableException;

/** Why a connection, or an attempt at one, is over. */
record Loss(Kind kind, RingtableException cause) {

    enum Kind {
        /** The broker refuses the login, or the connection, for good. */
        REFUSED,
        /** TLS could not be agreed on: hopeless at the start, passing while certificates are being renewed. */
        TLS,
        /** The network, the broker's stop or silence: worth another attempt. */
        PASSING
    }
}

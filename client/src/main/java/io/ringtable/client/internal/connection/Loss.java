package io.ringtable.client.internal.connection;

import io.ringtable.client.RingtableException;

/** Says why a connection, or an attempt at one, is over. */
record Loss(Kind kind, RingtableException cause) {

    enum Kind {
        /** Says that the broker refuses the login, or the connection, for good. */
        REFUSED,
        /**
         * Says that TLS could not be agreed on: hopeless at the start, passing while certificates are being renewed.
         */
        TLS,
        /** Blames the network, or the broker's stop or silence: worth another attempt. */
        PASSING
    }
}

package io.ringtable.broker.amqp.login;

/** Runs one SASL mechanism for one client. Thread: the connection's event loop. */
interface Mechanism {

    /** Takes the client's first message; empty if it sent none. */
    void begin(byte[] initial);

    /** Takes the client's answer to a challenge. */
    void respond(byte[] response);
}

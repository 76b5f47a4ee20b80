package io.ringtable.broker.config;

/** Says which kinds of addresses the broker may create when a client first names them. */
public enum AutoCreate {
    ANY,
    QUEUE,
    TOPIC,
    NONE
}

package io.ringtable.broker.config;

/** As what an address is created when it is first named. */
public enum AutoCreate {
    ANY,
    QUEUE,
    TOPIC,
    NONE
}

package io.ringtable.spring;

/** The payload of the listeners' tests. */
record Order(String item, int count) {}

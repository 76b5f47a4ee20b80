package io.ringtable.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Collects what the methods of a test's listener got. */
abstract class Collecting<T> {
    final BlockingQueue<T> got = new LinkedBlockingQueue<>();

    T next() throws InterruptedException {
        T next = got.poll(SharedBroker.SOON.toSeconds(), TimeUnit.SECONDS);
        assertThat(next).as("the next message").isNotNull();
        return next;
    }
}

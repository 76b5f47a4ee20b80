/**
 * Tests applications against a real broker in the test's own process: {@link io.ringtable.test.RingtableTest} begins
 * one, {@link io.ringtable.test.TestBroker} waits for what it stores and breaks it on purpose.
 * <p>
 * Thread: any, unless a class says otherwise. Must not know: how the broker does its work.
 */
package io.ringtable.test;

package io.ringtable.test;

import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.RingWrites;
import io.ringtable.broker.store.StoreFailure;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/**
 * Stands in front of the real store, and refuses its writes as a full disk does while the test says so.
 * <p>
 * Thread: any.
 */
final class FullStore {
    private volatile boolean full;

    void full(boolean isFull) {
        full = isFull;
    }

    RingStore around(RingStore store) {
        InvocationHandler handler = (proxy, verb, arguments) -> call(store, verb, arguments);
        return (RingStore)
                Proxy.newProxyInstance(RingStore.class.getClassLoader(), new Class<?>[] {RingStore.class}, handler);
    }

    private Object call(RingStore store, Method verb, Object[] arguments) throws Throwable {
        if (full && verb.getDeclaringClass() == RingWrites.class) {
            throw new StoreFailure(
                    StoreFailure.Kind.NOT_WRITABLE,
                    "RT-7001",
                    verb.getName() + " failed: the store is full, as the test asked for with storeFull()");
        }
        try {
            return verb.invoke(store, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}

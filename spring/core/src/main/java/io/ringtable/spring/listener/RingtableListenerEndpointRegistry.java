package io.ringtable.spring.listener;

import io.ringtable.client.RingtableException;
import io.ringtable.spring.internal.SpringErrors;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.context.SmartLifecycle;

/**
 * Holds the containers of all listeners, and starts and stops them with the application. Single ones are started and
 * stopped by their {@link #container id}. Safe for any thread.
 */
public class RingtableListenerEndpointRegistry implements SmartLifecycle {

    private final Map<String, RingtableListenerContainer> containers = new LinkedHashMap<>(); // under this
    private boolean running; // under this

    /**
     * Makes the container of a listener. The container starts with the others, or at once if they run already.
     *
     * @throws RingtableException RT-5048 if another listener has the id; as
     *     {@link RingtableListenerContainerFactory#createContainer} and {@link RingtableListenerContainer#start}
     */
    public void register(RingtableListenerEndpoint endpoint, RingtableListenerContainerFactory factory) {
        RingtableListenerContainer container = factory.createContainer(endpoint);
        boolean late;
        synchronized (this) {
            RingtableListenerContainer first = containers.putIfAbsent(endpoint.id(), container);
            if (first != null) {
                throw SpringErrors.sameId(endpoint.id(), first.toString(), container.toString());
            }
            late = running;
        }
        if (late && container.isAutoStartup()) {
            container.start();
        }
    }

    /** Tells whether a listener has the id. */
    public synchronized boolean contains(String id) {
        return containers.containsKey(id);
    }

    /** @throws RingtableException RT-5049 if no listener has the id */
    public synchronized RingtableListenerContainer container(String id) {
        RingtableListenerContainer container = containers.get(id);
        if (container == null) {
            throw SpringErrors.noListener(id, containers.keySet());
        }
        return container;
    }

    /** Returns all containers, in the order in which they were registered. */
    public synchronized Collection<RingtableListenerContainer> containers() {
        return List.copyOf(containers.values());
    }

    /**
     * Starts the containers that start with the application.
     *
     * @throws RingtableException with the code of the SDK, if the broker refuses a subscription
     */
    @Override
    public void start() {
        synchronized (this) {
            // Also where a container's start fails: Spring then stops what says that it runs.
            running = true;
        }
        containers().stream()
                .filter(RingtableListenerContainer::isAutoStartup)
                .forEach(RingtableListenerContainer::start);
    }

    /** Stops all containers side by side, and waits as {@link RingtableListenerContainer#stop()} does. */
    @Override
    public void stop() {
        beginStop();
        containers().forEach(RingtableListenerContainer::awaitStop);
    }

    @Override
    public void stop(Runnable callback) {
        beginStop();
        Thread waiter = new Thread(
                () -> {
                    containers().forEach(RingtableListenerContainer::awaitStop);
                    callback.run();
                },
                "ringtable-stop");
        waiter.start();
    }

    private void beginStop() {
        synchronized (this) {
            running = false;
        }
        containers().forEach(RingtableListenerContainer::beginStop);
    }

    @Override
    public synchronized boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return RingtableListenerContainer.PHASE;
    }
}

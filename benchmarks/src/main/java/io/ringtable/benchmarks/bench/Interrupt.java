package io.ringtable.benchmarks.bench;

import java.util.HashMap;
import java.util.Map;
import org.jline.utils.Signals;

/**
 * Lets the first interrupt of the process end its work in order: the run at hand ends, databases are removed and
 * results written. A second one ends the process at once. A hook of the process's end would come too late. A server
 * that was started here has a hook of its own, which stops it under the run.
 * <p>
 * Thread: any.
 */
final class Interrupt implements AutoCloseable {
    private final Map<String, Object> earlier = new HashMap<>();
    private final Runnable stop;

    /** @param stop asks the work to end */
    Interrupt(Runnable stop) {
        this.stop = stop;
        for (String signal : new String[] {"INT", "TERM"}) {
            earlier.put(signal, Signals.register(signal, this::stopOnce));
        }
    }

    private synchronized void stopOnce() {
        close();
        stop.run();
    }

    @Override
    public synchronized void close() {
        earlier.forEach(Signals::unregister);
        earlier.clear();
    }
}

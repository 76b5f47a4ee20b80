package io.ringtable.cli.bridge;

import java.util.List;

/** Tells a source that messages are over, and learns when that is durable there. Thread: the event loop. */
interface Confirmation {

    /** Opens what it needs, after the source's session. */
    void open();

    /** Accepts the messages; one call at a time, until the listener of the link hears of them. */
    void confirm(List<Carried> messages);
}

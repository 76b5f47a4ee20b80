package io.ringtable.broker.dispatch;

import io.ringtable.broker.message.Refusal;
import java.util.concurrent.CompletionException;

/** Refuses to make something that belongs in a shard of another node, which would make it. */
public final class CreationElsewhere extends Refusal.Refused {
    /** The code of every such refusal; the text begins with what is to be made. */
    public static final String CODE = "RT-4601";

    /** The code of the refusal to make something while the shard in which it belongs is away. */
    public static final String WHILE_AWAY = "RT-4534";

    private static final long serialVersionUID = 1L;

    private final transient Home home;

    /** @param home in which it belongs */
    public CreationElsewhere(Refusal refusal, Home home) {
        super(refusal);
        this.home = home;
    }

    /** Returns the home that a failure names; null if the failure is another one. */
    public static Home homeOf(Throwable failure) {
        Throwable cause = failure instanceof CompletionException known ? known.getCause() : failure;
        return cause instanceof CreationElsewhere elsewhere ? elsewhere.home : null;
    }
}

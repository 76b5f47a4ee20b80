package io.ringtable.broker.amqp.management;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.ringtable.broker.amqp.link.PeerLog;
import io.ringtable.broker.management.Caller;
import io.ringtable.broker.management.Management;
import io.ringtable.broker.management.ManagementAnswer;
import io.ringtable.broker.management.Problem;
import io.ringtable.broker.message.Printable;
import io.ringtable.wire.MalformedMessage;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers requests of all connections. Reads bodies, asks for the operations and writes answers on a thread of its own,
 * so that no event loop does.
 * <p>
 * Thread: any asks; {@code amqp-management} works. The credit of the links bounds what waits for it.
 * Failure: an operation that fails unexpectedly is answered with status 500.
 */
public final class ManagementNode {
    private static final Logger LOG = LoggerFactory.getLogger(ManagementNode.class);
    private static final int BAD_REQUEST = 400;
    private static final int FAILED = 500;
    private static final String FAILURE = "RT-4399";
    private static final int IDLE_SECONDS = 10;

    private final Management management;
    private final PeerLog log;
    private final RequestDecoder decoder = new RequestDecoder(); // the thread's
    private final ReplyWriter writer = new ReplyWriter(); // the thread's
    private final ThreadPoolExecutor thread = new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            new DefaultThreadFactory("amqp-management", true));

    public ManagementNode(Management management, PeerLog log) {
        this.management = management;
        this.log = log;
        thread.allowCoreThreadTimeOut(true);
    }

    PeerLog log() {
        return log;
    }

    /**
     * Answers a request.
     *
     * @param to address in the answer; null if it has none
     * @param bytesMax most bytes of the answer
     * @param answered gets the encoded answer, on the node's thread; never called once the node has stopped
     */
    void answer(Request request, Caller caller, String to, int bytesMax, Consumer<byte[]> answered) {
        run(() -> handle(request, caller)
                .whenComplete((answer, failure) -> run(() -> {
                    ManagementAnswer known = failure == null ? answer : failed(request, failure);
                    answered.accept(write(known, request, to, bytesMax));
                })));
    }

    /** Has the audit log tell of a change that is no request, as {@link Management#audited} does. */
    <T> CompletionStage<T> audited(Caller caller, String what, CompletionStage<T> change) {
        return management.audited(caller, what, change);
    }

    private CompletionStage<ManagementAnswer> handle(Request request, Caller caller) {
        try {
            return management.handle(decoder.decode(request, caller));
        } catch (MalformedMessage e) {
            return CompletableFuture.completedFuture(
                    new ManagementAnswer(BAD_REQUEST, new Problem(e.code(), e.getMessage())));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private byte[] write(ManagementAnswer answer, Request request, String to, int bytesMax) {
        try {
            return writer.write(answer, request.correlationId(), to, bytesMax);
        } catch (RuntimeException e) {
            return writer.write(failed(request, e), request.correlationId(), to, bytesMax);
        }
    }

    private static ManagementAnswer failed(Request request, Throwable failure) {
        LOG.warn("{} {} {} failed", FAILURE, request.method(), Printable.value(request.target()), failure);
        return new ManagementAnswer(FAILED, new Problem(FAILURE, "the operation failed: look at the broker's log"));
    }

    private void run(Runnable task) {
        try {
            thread.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("the server stops", e);
        }
    }

    /** Stops: requests that were taken are done, but nobody is left to hear of them. */
    public void stop() {
        thread.shutdown();
    }
}

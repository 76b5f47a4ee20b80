package io.ringtable.benchmarks.endtoend;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * Takes spans over OTLP and drops them, as a collector on the same machine would take them. Counts the requests, so
 * that a run without any does not pass for one with traces.
 * <p>
 * Thread: one of its own; any asks.
 */
final class SpanSink implements AutoCloseable {
    private final HttpServer server;
    private final LongAdder requests = new LongAdder();

    private SpanSink(HttpServer server) {
        this.server = server;
        server.createContext("/v1/traces", exchange -> {
            try (InputStream body = exchange.getRequestBody()) {
                body.transferTo(OutputStream.nullOutputStream());
            }
            requests.increment();
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
    }

    static SpanSink open() {
        try {
            SpanSink sink =
                    new SpanSink(HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0));
            sink.server.start();
            return sink;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the broker's arguments. */
    List<String> arguments() {
        return List.of(
                "--ringtable.tracing.enabled=true",
                "--management.opentelemetry.tracing.export.otlp.endpoint=http://127.0.0.1:"
                        + server.getAddress().getPort() + "/v1/traces");
    }

    /** Ends the sink. @throws IllegalStateException if no span ever came: the run had no traces */
    @Override
    public void close() {
        server.stop(0);
        if (requests.sum() == 0) {
            throw new IllegalStateException("no span came from the broker, so what was measured has no traces");
        }
    }
}

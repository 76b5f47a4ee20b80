package io.ringtable.broker.trace;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Takes spans over OTLP, as binary protobuf over HTTP, in place of a collector.
 * <p>
 * Thread: any.
 */
public final class OtlpReceiver implements AutoCloseable {
    /**
     * A span as it came.
     *
     * @param service {@code service.name} of its resource
     * @param parentId empty for the root of a trace
     * @param start ns since the epoch
     * @param end ns since the epoch
     * @param attributes as texts
     */
    public record Received(
            String service,
            String traceId,
            String spanId,
            String parentId,
            String name,
            String kind,
            long start,
            long end,
            Map<String, String> attributes) {}

    private final List<Received> spans = new CopyOnWriteArrayList<>();
    private final HttpServer server;

    public OtlpReceiver() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/v1/traces", this::take);
        server.start();
    }

    /** Returns what exporters take as their endpoint. */
    public String endpoint() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/v1/traces";
    }

    public List<Received> spans() {
        return spans;
    }

    public List<Received> ofTrace(String traceId) {
        return spans.stream().filter(span -> span.traceId().equals(traceId)).toList();
    }

    private void take(HttpExchange exchange) throws IOException {
        try (InputStream body = exchange.getRequestBody()) {
            for (ResourceSpans resource :
                    ExportTraceServiceRequest.parseFrom(body).getResourceSpansList()) {
                String service =
                        attributes(resource.getResource().getAttributesList()).get("service.name");
                for (ScopeSpans scope : resource.getScopeSpansList()) {
                    scope.getSpansList().forEach(span -> spans.add(received(service, span)));
                }
            }
        }
        exchange.sendResponseHeaders(200, -1);
        exchange.close();
    }

    private static Received received(String service, Span span) {
        HexFormat hex = HexFormat.of();
        return new Received(
                service,
                hex.formatHex(span.getTraceId().toByteArray()),
                hex.formatHex(span.getSpanId().toByteArray()),
                hex.formatHex(span.getParentSpanId().toByteArray()),
                span.getName(),
                span.getKind().name().replace("SPAN_KIND_", ""),
                span.getStartTimeUnixNano(),
                span.getEndTimeUnixNano(),
                attributes(span.getAttributesList()));
    }

    private static Map<String, String> attributes(List<KeyValue> values) {
        Map<String, String> texts = new TreeMap<>();
        for (KeyValue each : values) {
            texts.put(
                    each.getKey(),
                    each.getValue().hasStringValue()
                            ? each.getValue().getStringValue()
                            : String.valueOf(each.getValue().getIntValue()));
        }
        return texts;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}

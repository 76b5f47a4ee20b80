package io.ringtable.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLContext;

/** Stands where a broker would, for answers that a real one gives only in trouble, or only after much work. */
final class ScriptedBroker implements AutoCloseable {
    private final HttpServer server;
    private final Map<String, Deque<Answer>> answers = new ConcurrentHashMap<>();
    private final List<Asked> asked = new CopyOnWriteArrayList<>();

    private record Answer(int status, String body) {}

    /** @param authorization null if the request brings no login */
    record Asked(String what, String body, String authorization) {}

    ScriptedBroker() throws IOException {
        this(HttpServer.create(free(), 0));
    }

    private ScriptedBroker(HttpServer server) {
        this.server = server;
        server.createContext("/", this::answer);
        server.start();
    }

    /** Serves https on 127.0.0.1. */
    static ScriptedBroker withTls(SSLContext tls) throws IOException {
        HttpsServer server = HttpsServer.create(free(), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(tls));
        return new ScriptedBroker(server);
    }

    private static InetSocketAddress free() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    /** Answers a request so; the last answer to a request stays. @param what such as {@code GET /status} */
    ScriptedBroker on(String what, int status, String body) {
        answers.computeIfAbsent(what, any -> new ArrayDeque<>()).add(new Answer(status, body));
        return this;
    }

    private synchronized void answer(HttpExchange exchange) throws IOException {
        String what = exchange.getRequestMethod() + " " + exchange.getRequestURI();
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        asked.add(new Asked(what, body, exchange.getRequestHeaders().getFirst("Authorization")));
        Deque<Answer> left = answers.getOrDefault(what, new ArrayDeque<>(List.of(new Answer(404, "<html>"))));
        Answer answer = left.size() > 1 ? left.remove() : left.peek();
        byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
        if (answer.status() == 401) {
            exchange.getResponseHeaders().add("WWW-Authenticate", "Basic realm=\"Ringtable\"");
        }
        exchange.sendResponseHeaders(answer.status(), bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    List<Asked> asked() {
        return asked;
    }

    String url() {
        return (server instanceof HttpsServer ? "https" : "http") + "://127.0.0.1:"
                + server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}

package io.ringtable.cli;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Asks a broker over HTTP, with one client for all questions. Thread: the command's. */
final class BrokerHttp {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final long SHORTEST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long PAUSE_MS = 200;
    private static final int OK = 200;

    private final URI base;
    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(TIMEOUT).build();

    /** @throws CommandFailed RT-6014 if the URL is none of HTTP */
    BrokerHttp(URI base) {
        boolean http = "http".equalsIgnoreCase(base.getScheme()) || "https".equalsIgnoreCase(base.getScheme());
        if (!http || base.getHost() == null) {
            throw new CommandFailed(
                    ExitCode.USAGE, "RT-6014", "--http '" + base + "' names no broker: use http://HOST:PORT");
        }
        this.base = base;
    }

    /**
     * Returns the answer to {@code GET path}.
     *
     * @throws CommandFailed RT-6013 if it is another than 200; RT-6014 if there is none
     */
    String get(String path) {
        URI uri = base.resolve(path);
        HttpResponse<String> response;
        try {
            response = ask(uri, TIMEOUT.toNanos());
        } catch (IOException e) {
            throw new CommandFailed(
                    ExitCode.NO_BROKER,
                    "RT-6014",
                    "no broker answers at " + uri + " (" + e.getClass().getSimpleName()
                            + "): start one, or name its server.port with --http");
        }
        if (response.statusCode() != OK) {
            throw new CommandFailed(
                    ExitCode.FAILED,
                    "RT-6013",
                    uri + " answered " + response.statusCode() + ": check --http and the broker's log");
        }
        return response.body();
    }

    /**
     * Waits until the broker serves its clients; a stand-by does not.
     *
     * @throws CommandFailed RT-6016 if it does not in time
     */
    void awaitReady(Duration most) {
        URI uri = base.resolve("/actuator/health/readiness");
        long deadline = System.nanoTime() + most.toNanos();
        while (true) {
            String last;
            try {
                HttpResponse<String> response = ask(uri, Math.min(TIMEOUT.toNanos(), deadline - System.nanoTime()));
                if (response.statusCode() == OK) {
                    return;
                }
                last = "the last answer was " + response.statusCode() + ", " + response.body();
            } catch (IOException e) {
                last = "no answer (" + e.getClass().getSimpleName() + ")";
            }
            if (System.nanoTime() >= deadline) {
                throw new CommandFailed(
                        ExitCode.NO_BROKER,
                        "RT-6016",
                        "the broker at " + base + " is not ready after " + most.toMillis() / 1000.0 + " s (" + last
                                + "): see its log, or raise --wait");
            }
            pause();
        }
    }

    /** @param timeoutNanos however short, the question is asked */
    private HttpResponse<String> ask(URI uri, long timeoutNanos) throws IOException {
        try {
            Duration timeout = Duration.ofNanos(Math.max(SHORTEST_NANOS, timeoutNanos));
            HttpRequest request = HttpRequest.newBuilder(uri).timeout(timeout).build();
            return client.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    private void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    private CommandFailed interrupted() {
        Thread.currentThread().interrupt();
        return new CommandFailed(ExitCode.FAILED, "RT-6014", "interrupted while asking " + base);
    }
}

package io.ringtable.cli.manage;

import io.ringtable.cli.manage.ManagementFailure.Reason;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Asks a broker over HTTP, with one client and one login for all questions. Thread: the command's. */
public final class BrokerHttp {
    private static final Duration CONNECT_MAX = Duration.ofSeconds(10);
    private static final Duration STATUS_MAX = Duration.ofSeconds(10);

    /** Lets an operation wait for the commit of a slow store, or for a search of many messages. */
    private static final Duration OPERATION_MAX = Duration.ofSeconds(60);

    private static final long SHORTEST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long PAUSE_MS = 200;
    private static final int OK = 200;
    private static final int UNAUTHORIZED = 401;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int UNAVAILABLE = 503;

    private final String base;
    private final boolean seen; // by others on the network, and nobody has said that they may
    private final Login login;
    private final HttpClient client;

    private BrokerHttp(String base, boolean seen, Login login, HttpClient client) {
        this.base = base;
        this.seen = seen;
        this.login = login;
        this.client = client;
    }

    /**
     * Connects to nobody yet.
     *
     * @param base such as {@code https://host:8161}, also with a path that a proxy puts before the broker's
     * @param trustedPem certificates that TLS trusts; null for those of the JDK
     * @param allowPlainRemote whether the network may see secrets
     * @throws ManagementFailure RT-6014 if the URL is none of HTTP, RT-6040 if the network would see the login, RT-6041
     *     if the certificates cannot be read
     */
    public static BrokerHttp of(URI base, Login login, Path trustedPem, boolean allowPlainRemote) {
        boolean https = "https".equalsIgnoreCase(base.getScheme());
        if (!https && !"http".equalsIgnoreCase(base.getScheme()) || base.getHost() == null) {
            throw new ManagementFailure(
                    Reason.USAGE, "RT-6014", "--http '" + base + "' names no broker: use http://HOST:PORT");
        }
        if (base.getRawUserInfo() != null || base.getRawQuery() != null || base.getRawFragment() != null) {
            throw new ManagementFailure(
                    Reason.USAGE, "RT-6014", "--http has more than http://HOST:PORT/PATH: name the user with --user");
        }
        HttpClient.Builder client = HttpClient.newBuilder().connectTimeout(CONNECT_MAX);
        if (trustedPem != null) {
            client.sslContext(Trust.of(trustedPem));
        }
        boolean seen = !https && !allowPlainRemote && !isLoopback(base.getHost());
        BrokerHttp http = new BrokerHttp(base.toString().replaceFirst("/+$", ""), seen, login, client.build());
        if (login.isSecret()) {
            http.checkUnseen("login");
        }
        return http;
    }

    /**
     * Refuses to send a secret that the network would see.
     *
     * @param secret what it is called
     * @throws ManagementFailure RT-6040
     */
    public void checkUnseen(String secret) {
        if (seen) {
            throw new ManagementFailure(
                    Reason.USAGE,
                    "RT-6040",
                    "the " + secret + " is not sent to " + base + ", as the network would see it: use https://, or a"
                            + " tunnel to this machine. --allow-plain-remote sends it all the same");
        }
    }

    /** Tells whether the host is this machine. A name that cannot be resolved may be anywhere. */
    private static boolean isLoopback(String host) {
        try {
            return Arrays.stream(InetAddress.getAllByName(host)).allMatch(InetAddress::isLoopbackAddress);
        } catch (UnknownHostException e) {
            return false;
        }
    }

    /**
     * Returns the status, which every broker has at hand.
     *
     * @throws ManagementFailure as {@link #ask(String, String, String)} does
     */
    public String status() {
        return ask("GET", "/status", null, STATUS_MAX).body();
    }

    /** Holds an answer that is no refusal. @param body empty if there is none */
    record Answer(int status, String body) {}

    /**
     * Asks for an operation.
     *
     * @param path begins with a slash, percent-encoded
     * @param json null for a request without a body
     * @throws ManagementFailure with the code of the broker if it refuses
     * @throws ManagementFailure RT-6013 if what answers is no broker that knows the path
     * @throws ManagementFailure RT-6014 if nobody answers
     */
    Answer ask(String method, String path, String json) {
        return ask(method, path, json, OPERATION_MAX);
    }

    private Answer ask(String method, String path, String json, Duration timeout) {
        HttpRequest.Builder request = request(path, timeout)
                .method(method, json == null ? BodyPublishers.noBody() : BodyPublishers.ofString(json));
        if (json != null) {
            request.header("Content-Type", "application/json");
        }
        HttpResponse<String> response;
        try {
            response = send(request.build());
        } catch (SSLException e) {
            throw new ManagementFailure(
                    Reason.LOGIN,
                    "RT-6042",
                    base + " cannot be trusted (" + e.getMessage() + "): name its certificates with --trust");
        } catch (IOException e) {
            throw new ManagementFailure(
                    Reason.NO_BROKER,
                    "RT-6014",
                    "no broker answers at " + base + path + " (" + e.getClass().getSimpleName()
                            + "): start one, or name its server.port with --http");
        }
        if (response.statusCode() / 100 != 2) {
            throw refused(path, response);
        }
        return new Answer(response.statusCode(), response.body());
    }

    private ManagementFailure refused(String path, HttpResponse<String> response) {
        int status = response.statusCode();
        Reason reason = switch (status) {
            case UNAUTHORIZED, TOO_MANY_REQUESTS -> Reason.LOGIN;
            case UNAVAILABLE -> Reason.NOT_NOW;
            default -> Reason.REFUSED;
        };
        JsonNode problem = problem(response.body());
        String code = problem.path("code").asString("");
        if (!code.startsWith("RT-")) {
            return new ManagementFailure(
                    reason, "RT-6013", base + path + " answered " + status + ": check --http and the broker's log");
        }
        boolean needsLogin = status == UNAUTHORIZED && !login.isSecret();
        String text = problem.path("message").asString("") + (needsLogin ? " (--user or --token-file)" : "");
        return new ManagementFailure(reason, code, text);
    }

    private static JsonNode problem(String body) {
        try {
            return JsonMapper.shared().readTree(body);
        } catch (JacksonException e) {
            return JsonMapper.shared().createObjectNode();
        }
    }

    /**
     * Waits until the broker serves its clients; a stand-by does not. Needs no login.
     *
     * @throws ManagementFailure RT-6016 if it does not in time
     */
    public void awaitReady(Duration most) {
        long deadline = System.nanoTime() + most.toNanos();
        while (true) {
            String last;
            try {
                long left = Math.max(SHORTEST_NANOS, Math.min(STATUS_MAX.toNanos(), deadline - System.nanoTime()));
                HttpResponse<String> response =
                        send(request("/readyz", Duration.ofNanos(left)).build());
                if (response.statusCode() == OK) {
                    return;
                }
                last = "the last answer was " + response.statusCode() + ", " + response.body();
            } catch (IOException e) {
                last = "no answer (" + e.getClass().getSimpleName() + ")";
            }
            if (System.nanoTime() >= deadline) {
                throw new ManagementFailure(
                        Reason.NO_BROKER,
                        "RT-6016",
                        "the broker at " + base + " is not ready after " + most.toMillis() / 1000.0 + " s (" + last
                                + "): see its log, or raise --wait");
            }
            pause();
        }
    }

    private HttpRequest.Builder request(String path, Duration timeout) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(base + path)).timeout(timeout);
        return login.isSecret() ? request.header("Authorization", login.authorization()) : request;
    }

    private HttpResponse<String> send(HttpRequest request) throws IOException {
        try {
            return client.send(request, BodyHandlers.ofString());
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

    private ManagementFailure interrupted() {
        Thread.currentThread().interrupt();
        return new ManagementFailure(Reason.REFUSED, "RT-6014", "interrupted while asking " + base);
    }
}

package io.ringtable.broker.admin.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.BrokerApplication;
import io.ringtable.broker.RingtableBroker;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Is a broker as it is shipped, on free ports, for tests that ask it over HTTP. Passwords are the users' names. */
final class HttpApplication implements AutoCloseable {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final ConfigurableApplicationContext application;
    private final URI http;

    private HttpApplication(ConfigurableApplicationContext application) {
        this.application = application;
        http = URI.create("http://127.0.0.1:"
                + ((WebServerApplicationContext) application).getWebServer().getPort());
    }

    /** @param more settings, as the command line has them */
    static HttpApplication start(Path directory, List<String> users, String... more) {
        List<String> settings = new ArrayList<>(
                List.of("--ringtable.data-dir=" + directory, "--ringtable.amqp.port=0", "--server.port=0"));
        for (int i = 0; i < users.size(); i++) {
            String prefix = "--ringtable.security.users[" + i + "].";
            settings.add(prefix + "name=" + users.get(i));
            settings.add(prefix + "password={noop}" + users.get(i));
        }
        settings.addAll(List.of(more));
        return new HttpApplication(SpringApplication.run(BrokerApplication.class, settings.toArray(String[]::new)));
    }

    URI http() {
        return http;
    }

    /** @param options of the client, as its URI has them */
    JmsConnectionFactory jms(String user, String options) {
        int port = application.getBean(RingtableBroker.class).amqpPort();
        return new JmsConnectionFactory(user, user, "amqp://127.0.0.1:" + port + options);
    }

    /**
     * Asks for anything.
     *
     * @param user null = nobody
     * @param body JSON; null = none
     */
    HttpResponse<String> send(String user, String method, String path, String body) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(http.resolve(path))
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        if (user != null) {
            request.header("Authorization", basic(user, user));
        }
        return CLIENT.send(request.build(), BodyHandlers.ofString());
    }

    static String basic(String user, String password) {
        return "Basic " + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
    }

    /** Asks for an operation, and expects a status. @param path below {@code /api/v1} */
    JsonNode ask(String user, String method, int status, String path, String body) throws Exception {
        HttpResponse<String> answer = send(user, method, "/api/v1" + path, body);
        assertThat(answer.statusCode())
                .as("%s %s: %s", method, path, answer.body())
                .isEqualTo(status);
        return JsonMapper.shared().readTree(answer.body());
    }

    /** Asks for an operation, and expects a refusal with a code. */
    void refused(String user, String method, int status, String code, String path, String body) throws Exception {
        assertThat(ask(user, method, status, path, body).path("code").asString())
                .as(path)
                .isEqualTo(code);
    }

    @Override
    public void close() {
        application.close();
    }
}

package io.ringtable.broker.admin.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.BrokerApplication;
import io.ringtable.broker.WithoutBuildProperties;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.HttpHeaders;

/** HTTP needs a login from the moment on that there is a user, and none any more when the last one is gone. */
@ExtendWith(WithoutBuildProperties.class)
class HttpFirstUserTest {
    @TempDir
    Path directory;

    private URI http;

    private HttpResponse<String> ask(String login, String method, String path, String body) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(http.resolve("/api/v1" + path))
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .header("Content-Type", "application/json");
        if (login != null) {
            request.header("Authorization", "Basic " + HttpHeaders.encodeBasicAuth("ann", login, null));
        }
        return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
    }

    @Test
    void theDoorClosesWithTheFirstUserAndOpensWithTheLast() throws Exception {
        try (ConfigurableApplicationContext application = SpringApplication.run(
                BrokerApplication.class,
                "--ringtable.data-dir=" + directory,
                "--ringtable.amqp.port=0",
                "--server.port=0")) {
            http = URI.create("http://127.0.0.1:"
                    + ((WebServerApplicationContext) application).getWebServer().getPort());
            assertThat(ask("a header that nobody reads", "GET", "/whoami", null).statusCode())
                    .isEqualTo(200);
            assertThat(ask(null, "PUT", "/users/ann", "{\"password\": \"one\"}").statusCode())
                    .isEqualTo(201);
            assertThat(ask(null, "GET", "/whoami", null).statusCode()).isEqualTo(401);
            assertThat(ask("wrong", "GET", "/whoami", null).statusCode()).isEqualTo(401);
            assertThat(ask("one", "GET", "/whoami", null).body()).contains("\"ann\"");
            assertThat(ask("one", "PUT", "/users/ann", "{\"password\": \"two\"}")
                            .statusCode())
                    .isEqualTo(200);
            assertThat(ask("one", "GET", "/whoami", null).statusCode())
                    .as("what was right before")
                    .isEqualTo(401);
            ask("two", "PUT", "/users/bob", "{\"passwordHash\": \"{external}\"}");
            assertThat(ask("two", "DELETE", "/users/ann", null).body())
                    .as("only bob would remain, who has no password")
                    .contains("RT-7647");
            assertThat(ask("two", "DELETE", "/users/bob", null).statusCode()).isEqualTo(204);
            assertThat(ask("two", "DELETE", "/users/ann?force=true", null).statusCode())
                    .isEqualTo(204);
            assertThat(ask(null, "GET", "/whoami", null).statusCode()).isEqualTo(200);
        }
    }
}

package io.ringtable.broker.admin.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.BrokerApplication;
import io.ringtable.broker.WithoutBuildProperties;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.HttpHeaders;

/** Health and metrics on a port of their own need the same login as on the port of HTTP. */
@ExtendWith(WithoutBuildProperties.class)
class ManagementPortTest {
    @TempDir
    Path directory;

    @Test
    void needsALoginOnAPortOfItsOwn() throws Exception {
        try (ConfigurableApplicationContext application = SpringApplication.run(
                BrokerApplication.class,
                "--ringtable.data-dir=" + directory,
                "--ringtable.amqp.port=0",
                "--server.port=0",
                "--management.server.port=0",
                "--ringtable.security.users[0].name=vera",
                "--ringtable.security.users[0].password={noop}vera")) {
            URI metrics = URI.create("http://127.0.0.1:"
                    + application.getEnvironment().getRequiredProperty("local.management.port")
                    + "/actuator/prometheus");

            HttpResponse<String> stranger = ask(HttpRequest.newBuilder(metrics));
            HttpResponse<String> vera = ask(HttpRequest.newBuilder(metrics)
                    .header("Authorization", "Basic " + HttpHeaders.encodeBasicAuth("vera", "vera", null)));

            assertThat(stranger.statusCode()).isEqualTo(401);
            assertThat(stranger.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
            assertThat(stranger.body()).contains("RT-7501");
            assertThat(vera.statusCode()).isEqualTo(200);
            assertThat(vera.body()).contains("ringtable_");
        }
    }

    private static HttpResponse<String> ask(HttpRequest.Builder request) throws Exception {
        return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
    }
}

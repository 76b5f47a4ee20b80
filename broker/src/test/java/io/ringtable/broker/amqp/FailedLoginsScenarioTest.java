package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.BrokerApplication;
import io.ringtable.broker.RingtableBroker;
import io.ringtable.broker.WithoutBuildProperties;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.HttpHeaders;

/** Failed logins count together, whichever way they come, by the name and by where they come from. */
@ExtendWith(WithoutBuildProperties.class)
@Timeout(120)
class FailedLoginsScenarioTest {
    private static final int FAILURES_MAX = 3;
    private static final String HERE = "127.0.0.1"; // where the requests over HTTP come from
    private static final String ELSEWHERE = "127.0.0.2";

    @TempDir
    private static Path directory;

    private static ConfigurableApplicationContext application;
    private static RingtableBroker broker;
    private static URI http;

    @BeforeAll
    static void start() {
        application = SpringApplication.run(
                BrokerApplication.class,
                "--ringtable.data-dir=" + directory,
                "--ringtable.amqp.port=0",
                "--server.port=0",
                "--ringtable.security.login-failures-max=" + FAILURES_MAX,
                "--ringtable.security.login-failure-recovery=1h",
                "--ringtable.security.users[0].name=anna",
                "--ringtable.security.users[0].password={noop}right",
                "--ringtable.security.users[1].name=boris",
                "--ringtable.security.users[1].password={noop}right",
                "--ringtable.security.users[2].name=clara",
                "--ringtable.security.users[2].password={noop}right",
                "--ringtable.security.users[3].name=dora",
                "--ringtable.security.users[3].password={noop}right");
        broker = application.getBean(RingtableBroker.class);
        int port = ((WebServerApplicationContext) application).getWebServer().getPort();
        http = URI.create("http://127.0.0.1:" + port + "/api/v1/whoami");
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    private static int overAmqp(String from, String user, String password) throws Exception {
        try (SaslPeer peer = new SaslPeer(from, broker.amqpPort(), user, password)) {
            return peer.outcome();
        }
    }

    private static HttpResponse<String> overHttp(String user, String password) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(http)
                .header("Authorization", "Basic " + HttpHeaders.encodeBasicAuth(user, password, null))
                .build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    }

    @Test
    void failuresOverAmqpPutOffHttpForThatUserAndSource() throws Exception {
        for (int i = 0; i < FAILURES_MAX; i++) {
            assertThat(overAmqp(HERE, "anna", "wrong")).isEqualTo(SaslPeer.AUTH);
        }

        HttpResponse<String> putOff = overHttp("anna", "right");
        assertThat(putOff.statusCode()).isEqualTo(429);
        assertThat(putOff.body()).contains("RT-7503");
        assertThat(overHttp("boris", "right").statusCode()).as("another user").isEqualTo(200);
        assertThat(overAmqp(ELSEWHERE, "anna", "right")).as("another source").isEqualTo(SaslPeer.OK);
    }

    @Test
    void failuresOverHttpPutOffAmqpForThatUserAndSource() throws Exception {
        for (int i = 0; i < FAILURES_MAX; i++) {
            assertThat(overHttp("clara", "wrong").statusCode()).isEqualTo(401);
        }

        assertThat(overAmqp(HERE, "clara", "right")).isEqualTo(SaslPeer.TEMPORARILY_NOT);
        assertThat(overAmqp(HERE, "boris", "right")).as("another user").isEqualTo(SaslPeer.OK);
        assertThat(overAmqp(ELSEWHERE, "clara", "right")).as("another source").isEqualTo(SaslPeer.OK);
    }

    @Test
    void aPasswordThatWasRightOverAmqpCostsHttpNoHash() throws Exception {
        assertThat(overAmqp(HERE, "dora", "right")).isEqualTo(SaslPeer.OK);
        long hashed = broker.amqpCounters().loginsHashed.sum();

        assertThat(overHttp("dora", "right").statusCode()).isEqualTo(200);

        assertThat(broker.amqpCounters().loginsHashed.sum()).isEqualTo(hashed);
    }
}

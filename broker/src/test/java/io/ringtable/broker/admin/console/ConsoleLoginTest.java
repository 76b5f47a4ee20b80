package io.ringtable.broker.admin.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.SignedTokens;
import io.ringtable.broker.TestCertificate;
import io.ringtable.broker.WithoutBuildProperties;
import java.net.CookieManager;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.http.HttpHeaders;

/** Logins over HTTP without a password: by token, and by the certificate of the client. */
@ExtendWith(WithoutBuildProperties.class)
class ConsoleLoginTest {
    private static final Pattern FORGERY = Pattern.compile("name=\"_csrf\" value=\"([^\"]+)\"");
    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration SHORT = Duration.ofSeconds(2);

    @TempDir
    static Path directory;

    private static SignedTokens issuer;
    private static TestCertificate server;
    private static TestCertificate viewer;
    private static TestCertificate stranger;
    private static ConsoleApplication broker;

    @BeforeAll
    static void start() throws Exception {
        issuer = new SignedTokens();
        server = TestCertificate.make(directory, "server", "CN=localhost", "ip:127.0.0.1");
        viewer = TestCertificate.make(directory, "viewer", "CN=viewer");
        stranger = TestCertificate.make(directory, "stranger", "CN=stranger");
        Path trusted = Files.writeString(
                directory.resolve("trusted.crt"),
                Files.readString(viewer.certificate()) + Files.readString(stranger.certificate()));
        broker = ConsoleApplication.withUsers(
                directory.resolve("data"),
                "--ringtable.security.oauth.jwks=file:"
                        + Files.writeString(directory.resolve("jwks.json"), issuer.jwks()),
                "--ringtable.security.oauth.issuer=" + SignedTokens.ISSUER,
                "--ringtable.security.oauth.audience=" + SignedTokens.AUDIENCE,
                "--ringtable.security.roles.viewer.groups=sales",
                "--server.ssl.certificate=" + server.certificate(),
                "--server.ssl.certificate-private-key=" + server.privateKey(),
                "--server.ssl.trust-certificate=" + trusted,
                "--server.ssl.client-auth=want");
    }

    @AfterAll
    static void stop() {
        if (broker != null) {
            broker.close();
        }
    }

    /** A browser, as far as TLS, cookies and forms go. */
    private static final class Visitor {
        private final HttpClient client;

        /** @param shown the certificate that the browser shows; null if it has none */
        Visitor(TestCertificate shown) throws Exception {
            KeyStore trusted = KeyStore.getInstance(server.keyStore().toFile(), TestCertificate.PASSWORD.toCharArray());
            KeyStore authorities = KeyStore.getInstance("PKCS12");
            authorities.load(null, null);
            authorities.setCertificateEntry("server", trusted.getCertificate("own"));
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(authorities);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(shown == null ? null : keys(shown).getKeyManagers(), trust.getTrustManagers(), null);
            client = HttpClient.newBuilder()
                    .sslContext(context)
                    .cookieHandler(new CookieManager())
                    .build();
        }

        private static KeyManagerFactory keys(TestCertificate own) throws Exception {
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            char[] password = TestCertificate.PASSWORD.toCharArray();
            keys.init(KeyStore.getInstance(own.keyStore().toFile(), password), password);
            return keys;
        }

        private static URI uri(String path) {
            return URI.create("https://127.0.0.1:" + broker.http().getPort()).resolve(path);
        }

        HttpResponse<String> get(String path, String... headers) throws Exception {
            HttpRequest.Builder request = HttpRequest.newBuilder(uri(path));
            if (headers.length > 0) {
                request.headers(headers);
            }
            return client.send(request.build(), BodyHandlers.ofString());
        }

        /** Sends a form of the login, and returns where it leads. @param field name and value; null if there is none */
        String logIn(String way, String field) throws Exception {
            Matcher token = FORGERY.matcher(get("/console/login").body());
            assertThat(token.find()).isTrue();
            String form = "way=" + way + "&_csrf=" + URLEncoder.encode(token.group(1), StandardCharsets.UTF_8)
                    + (field == null ? "" : "&" + field);
            return location(client.send(
                    HttpRequest.newBuilder(uri("/console/login"))
                            .header("Content-Type", "application/x-www-form-urlencoded")
                            .POST(BodyPublishers.ofString(form))
                            .build(),
                    BodyHandlers.ofString()));
        }

        static String location(HttpResponse<String> response) {
            URI location = URI.create(response.headers().firstValue("Location").orElse("(none)"));
            return location.getRawPath() + (location.getRawQuery() == null ? "" : "?" + location.getRawQuery());
        }
    }

    @Test
    void logsInByATokenUntilTheTokenExpires() throws Exception {
        Visitor ann = loggedInFor(SHORT);

        Awaitility.await()
                .untilAsserted(() -> assertThat(Visitor.location(ann.get("/console")))
                        .isEqualTo("/console/login?ended&to=%2Fconsole"));
    }

    /** Logs in for as long, or for twice as long where that was over before the page came, beside other load. */
    private static Visitor loggedInFor(Duration validity) throws Exception {
        Visitor ann = new Visitor(null);
        String way = ann.logIn("token", "token=" + issuer.token("ann", validity));
        String page = ann.get("/console").body();
        if (!page.contains("Log out") && validity.compareTo(LONG) < 0) {
            return loggedInFor(validity.multipliedBy(2));
        }
        assertThat(way).isEqualTo("/console");
        assertThat(page).contains("ann", "Log out");
        return ann;
    }

    @Test
    void refusesATokenOfAnotherIssuer() throws Exception {
        Visitor mallory = new Visitor(null);

        String refused = mallory.logIn("token", "token=" + new SignedTokens().token("ann", LONG));

        assertThat(refused).startsWith("/console/login?refused=token");
        assertThat(mallory.get(refused).body()).contains("The token is not valid here");
        assertThat(Visitor.location(mallory.get("/console"))).startsWith("/console/login");
    }

    @Test
    void logsInByTheCertificateThatTheBrowserShows() throws Exception {
        Visitor browser = new Visitor(viewer);

        assertThat(browser.get("/console/login").body()).contains("Log in as viewer, by certificate");
        assertThat(Visitor.location(browser.get("/console")))
                .as("before the button is pressed, so that there is a way out")
                .startsWith("/console/login");
        assertThat(browser.logIn("certificate", null)).isEqualTo("/console");
        assertThat(browser.get("/console").body()).contains("viewer", "Log out");
    }

    @Test
    void logsNobodyInByACertificateThatNamesNoUser() throws Exception {
        for (TestCertificate shown : new TestCertificate[] {null, stranger}) {
            Visitor browser = new Visitor(shown);

            String page = browser.get("/console/login").body();
            String refused = browser.logIn("certificate", null);

            assertThat(page).contains("Log in with the token").doesNotContain("by certificate");
            assertThat(refused).startsWith("/console/login?refused=certificate");
            assertThat(browser.get(refused).body()).contains("no certificate, or one that names no user");
            assertThat(browser.get("/api/v1/whoami").statusCode()).isEqualTo(401);
        }
    }

    @Test
    void asksOperationsAsTheUserOfTheCertificateUnlessAHeaderNamesAnother() throws Exception {
        Visitor client = new Visitor(viewer);
        String administrator = "Basic " + HttpHeaders.encodeBasicAuth("administrator", "administrator", null);
        String wrong = "Basic " + HttpHeaders.encodeBasicAuth("administrator", "guess", null);

        assertThat(client.get("/api/v1/whoami").body()).contains("\"viewer\"");
        assertThat(client.get("/api/v1/whoami", "Authorization", administrator).body())
                .contains("\"administrator\"")
                .doesNotContain("\"viewer\"");
        assertThat(client.get("/api/v1/whoami", "Authorization", wrong).statusCode())
                .isEqualTo(401);
    }
}

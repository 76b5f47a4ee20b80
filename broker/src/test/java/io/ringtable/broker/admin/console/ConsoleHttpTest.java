package io.ringtable.broker.admin.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.WithoutBuildProperties;
import jakarta.jms.JMSContext;
import jakarta.jms.TemporaryQueue;
import java.io.IOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Holds who may do what at the console, with requests that a browser would not send too. */
@ExtendWith(WithoutBuildProperties.class)
class ConsoleHttpTest {
    private static final Pattern TOKEN = Pattern.compile("name=\"_csrf\" value=\"([^\"]+)\"");

    @TempDir
    static Path directory;

    private static ConsoleApplication broker;

    @BeforeAll
    static void start() {
        broker = ConsoleApplication.withUsers(directory);
        try (JMSContext shop = broker.shop()) {
            shop.createProducer().send(shop.createQueue("orders"), "one");
        }
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    /** A browser, as far as cookies and forms go. */
    private static final class Visitor {
        private final HttpClient client =
                HttpClient.newBuilder().cookieHandler(new CookieManager()).build();

        static Visitor loggedIn(String user) throws Exception {
            Visitor visitor = new Visitor();
            HttpResponse<String> answer = visitor.logIn(user, user, "/console");
            assertThat(location(answer)).isEqualTo("/console");
            return visitor;
        }

        HttpResponse<String> logIn(String user, String password, String target) throws Exception {
            String token = tokenOf(get("/console/login"));
            return post("/console/login", "_csrf", token, "username", user, "password", password, "to", target);
        }

        HttpResponse<String> get(String path) throws Exception {
            return send(HttpRequest.newBuilder(broker.http().resolve(path)));
        }

        HttpResponse<String> post(String path, String... fields) throws Exception {
            List<String> encoded = new ArrayList<>();
            for (int i = 0; i < fields.length; i += 2) {
                encoded.add(fields[i] + "=" + URLEncoder.encode(fields[i + 1], StandardCharsets.UTF_8));
            }
            return send(HttpRequest.newBuilder(broker.http().resolve(path))
                    .header("Content-Type", "application/x-www-form-urlencoded")
                    .POST(BodyPublishers.ofString(String.join("&", encoded))));
        }

        HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
            return client.send(request.build(), BodyHandlers.ofString());
        }

        /** Returns the token that this visitor's forms carry. */
        String token() throws Exception {
            return tokenOf(get("/console"));
        }
    }

    private static String tokenOf(HttpResponse<String> page) {
        Matcher token = TOKEN.matcher(page.body());
        assertThat(token.find()).as(page.body()).isTrue();
        return token.group(1);
    }

    private static String location(HttpResponse<String> response) {
        URI location = URI.create(response.headers().firstValue("Location").orElse("(none)"));
        return location.getRawPath() + (location.getRawQuery() == null ? "" : "?" + location.getRawQuery());
    }

    @Test
    void leadsFromTheRootToTheLoginAndBack() throws Exception {
        Visitor visitor = new Visitor();

        assertThat(location(visitor.get("/"))).isEqualTo("/console");
        assertThat(location(visitor.get("/console/address?name=a%20b")))
                .isEqualTo("/console/login?to=%2Fconsole%2Faddress%3Fname%3Da%2520b");
        assertThat(location(visitor.logIn("viewer", "viewer", "/console/address?name=orders")))
                .isEqualTo("/console/address?name=orders");
        assertThat(visitor.get("/console/address?name=orders").statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"https://elsewhere.example/", "//elsewhere.example", "/status", "/console\\@x", "/consoles"})
    void leadsNowhereElseAfterALogin(String target) throws Exception {
        assertThat(location(new Visitor().logIn("viewer", "viewer", target))).isEqualTo("/console");
    }

    @Test
    void refusesAWrongPasswordWithoutSayingWhichPartIsWrong() throws Exception {
        Visitor visitor = new Visitor();

        String wrong = location(visitor.logIn("viewer", "guess", "/console"));
        String unknown = location(visitor.logIn("mallory", "guess", "/console"));

        assertThat(wrong).startsWith("/console/login?refused=wrong").isEqualTo(unknown);
        assertThat(visitor.get(wrong).body())
                .contains("The name or the password is wrong.")
                .doesNotContain("guess");
        assertThat(location(visitor.get("/console"))).startsWith("/console/login");
    }

    @Test
    void makesNoSessionBeforeALogin() throws Exception {
        List<String> cookies = new Visitor().get("/console/login").headers().allValues("Set-Cookie");

        assertThat(cookies).singleElement().asString().startsWith("XSRF-TOKEN=").contains("HttpOnly", "SameSite=Lax");
    }

    @Test
    void keepsTheCookieOfTheLoginFromScriptsAndOtherSites() throws Exception {
        HttpResponse<String> answer = new Visitor().logIn("viewer", "viewer", "/console");

        assertThat(answer.headers().allValues("Set-Cookie"))
                .filteredOn(cookie -> cookie.startsWith("RINGTABLE_CONSOLE="))
                .singleElement()
                .asString()
                .contains("HttpOnly", "SameSite=Lax");
    }

    @Test
    void endsTheLoginAtLogout() throws Exception {
        Visitor visitor = Visitor.loggedIn("viewer");

        assertThat(location(visitor.post("/console/logout", "_csrf", visitor.token())))
                .isEqualTo("/console/login?bye");

        assertThat(location(visitor.get("/console"))).startsWith("/console/login");
    }

    /** An administrator removes a user, who has a page open. */
    @Test
    void endsTheLoginOfAUserWhoIsRemoved() throws Exception {
        broker.administer("PUT", "/users/temp", "{\"password\": \"temp-password\"}");
        broker.administer("PUT", "/roles/viewer", "{\"users\": [\"temp\"]}");
        Visitor visitor = new Visitor();
        assertThat(location(visitor.logIn("temp", "temp-password", "/console"))).isEqualTo("/console");
        assertThat(visitor.get("/console").statusCode()).isEqualTo(200);

        broker.administer("DELETE", "/users/temp", null);

        assertThat(location(visitor.get("/console"))).isEqualTo("/console/login?ended&to=%2Fconsole");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/console/addresses", "/console/address/delete", "/console/logout"})
    void refusesFormsThatAreNotOurs(String path) throws Exception {
        HttpResponse<String> answer = Visitor.loggedIn("administrator").post(path, "name", "forged", "kind", "QUEUE");

        assertThat(answer.statusCode()).isEqualTo(403);
        assertThat(answer.body()).contains("RT-7403");
    }

    @Test
    void refusesWhatABrowserSendsForAPageOfAnotherSite() throws Exception {
        Visitor visitor = Visitor.loggedIn("administrator");

        HttpResponse<String> answer =
                visitor.send(HttpRequest.newBuilder(broker.http().resolve("/console/live/overview"))
                        .header("Sec-Fetch-Site", "cross-site"));

        assertThat(answer.statusCode()).isEqualTo(403);
    }

    @Test
    void letsAPageUseNothingButWhatTheBrokerServes() throws Exception {
        for (String path : List.of("/console/login", "/console/assets/console.js")) {
            HttpResponse<String> answer = new Visitor().get(path);

            assertThat(answer.statusCode()).as(path).isEqualTo(200);
            assertThat(answer.headers().firstValue("Content-Security-Policy"))
                    .hasValueSatisfying(policy -> assertThat(policy)
                            .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")
                            .doesNotContain("unsafe"));
        }
    }

    /** The console refuses what it does not offer, and offers it to the role that it is for. */
    @ParameterizedTest
    @CsvSource({"viewer, false", "operator, false", "administrator, true"})
    void offersEachRoleWhatItMayAndRefusesTheRest(String user, boolean mayCreate) throws Exception {
        Visitor visitor = Visitor.loggedIn(user);
        String name = "made.by." + user;

        assertThat(visitor.get("/console/addresses").body().contains("Create an address"))
                .isEqualTo(mayCreate);
        HttpResponse<String> created =
                visitor.post("/console/addresses", "_csrf", visitor.token(), "name", name, "kind", "QUEUE");
        HttpResponse<String> deleted = visitor.post(
                "/console/address/delete",
                "_csrf",
                visitor.token(),
                "name",
                mayCreate ? name : "orders",
                "force",
                "true");

        if (mayCreate) {
            assertThat(location(created)).isEqualTo("/console/address?name=" + name + "&note=created");
            assertThat(location(deleted)).isEqualTo("/console/addresses?note=deleted");
        } else {
            assertThat(created.statusCode()).isEqualTo(403);
            assertThat(created.body()).contains("RT-7706", "it needs the role administrator");
            assertThat(deleted.statusCode()).isEqualTo(403);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"viewer", "nobody"})
    void refusesEachChangeThatThePagesCanAskForToWhoMayNot(String user) throws Exception {
        broker.administer("POST", "/jobs", "{\"action\": \"delete\", \"from\": \"orders\", \"dryRun\": true}");
        Visitor operator = Visitor.loggedIn("operator");
        String subscription =
                first("/console/subscription\\?id=(\\d+)", operator, "/console/subscriptions?address=orders");
        String job = first("/console/job\\?id=(\\d+)", operator, "/console/jobs");
        Visitor visitor = Visitor.loggedIn(user);
        String token = visitor.token();
        for (List<String> change : List.of(
                List.of("/console/addresses", "name", "new", "kind", "QUEUE"),
                List.of("/console/address/purge", "name", "orders"),
                List.of("/console/address/delete", "name", "orders", "force", "true"),
                List.of("/console/subscription/purge", "id", subscription),
                List.of("/console/subscription/delete", "id", subscription),
                List.of("/console/message/copy", "sequence", "0", "to", "orders"),
                List.of("/console/message/delete", "sequence", "0"),
                List.of("/console/jobs", "action", "delete", "from", "orders"),
                List.of("/console/job/cancel", "id", job),
                List.of("/console/connection/close", "id", "c1"),
                List.of("/console/links", "id", "c1.1"),
                List.of("/console/transactions", "id", "c1.t1"),
                List.of("/console/producers", "address", "orders", "name", "p"))) {
            List<String> fields = new ArrayList<>(change.subList(1, change.size()));
            fields.addAll(List.of("_csrf", token));

            HttpResponse<String> answer = visitor.post(change.get(0), fields.toArray(String[]::new));

            assertThat(answer.statusCode()).as("%s: %s", change, answer.body()).isEqualTo(403);
            assertThat(answer.body()).as(change.get(0)).containsPattern("RT-7404|RT-7706");
        }
        assertThat(operator.get("/console/message?sequence=0").body()).contains("one");
    }

    /** Returns what the first group of a pattern matches on a page. */
    private static String first(String pattern, Visitor visitor, String path) throws Exception {
        String page = visitor.get(path).body();
        Matcher found = Pattern.compile(pattern).matcher(page);
        assertThat(found.find()).as(page).isTrue();
        return found.group(1);
    }

    @Test
    void saysToAUserWithoutARoleWhoGivesOne() throws Exception {
        HttpResponse<String> answer = Visitor.loggedIn("nobody").get("/console");

        assertThat(answer.statusCode()).isEqualTo(403);
        assertThat(answer.body())
                .contains("RT-7404", "ringtable.security.roles", "Log out")
                .doesNotContain("Flush");
    }

    @Test
    void loadsTheLoginWhereAPartRefreshesItselfAfterTheEndOfALogin() throws Exception {
        HttpResponse<String> answer = new Visitor()
                .send(HttpRequest.newBuilder(broker.http().resolve("/console/live/overview"))
                        .header("HX-Request", "true"));

        assertThat(answer.statusCode()).isEqualTo(401);
        assertThat(answer.headers().firstValue("HX-Redirect")).hasValue("/console/login");
    }

    @Test
    void showsNamesAsTextWhateverTheySay() throws Exception {
        String name = "<script>alert(1)</script>&\"'{x}";
        Visitor visitor = Visitor.loggedIn("administrator");
        HttpResponse<String> created =
                visitor.post("/console/addresses", "_csrf", visitor.token(), "name", name, "kind", "TOPIC");

        String list = visitor.get("/console/addresses").body();
        String page = visitor.get(location(created)).body();

        assertThat(list).contains("&lt;script&gt;alert(1)").doesNotContain("<script>alert");
        assertThat(page).contains("&lt;script&gt;alert(1)").doesNotContain("<script>alert");
    }

    @Test
    void countsLettersOfEachHourApartAndLeadsToThem() throws Exception {
        try (JMSContext shop = broker.shop()) {
            shop.createProducer().send(shop.createQueue("DLQ"), "not dead, but there");
        }
        Visitor operator = Visitor.loggedIn("operator");
        String together = operator.get("/console/deadletters").body();
        String apart = operator.get("/console/deadletters?hourly=true&queue=").body();

        assertThat(together).contains("Redrive, move or delete", "Died since").doesNotContain("in the hour from");
        assertThat(apart)
                .contains("in the hour from", "Redrive, move or delete", "type=\"hidden\" name=\"since\"")
                .doesNotContain("Died since");
        Matcher look = Pattern.compile("href=\"(/console/messages\\?address=DLQ&amp;since=[^\"]+)\"")
                .matcher(apart);
        assertThat(look.find()).as(apart).isTrue();
        assertThat(operator.get(look.group(1).replace("&amp;", "&")).body()).contains("not dead, but there");
    }

    @Test
    void showsMessagesThatAreInMemoryAlone() throws Exception {
        try (JMSContext shop = broker.shop()) {
            TemporaryQueue replies = shop.createTemporaryQueue();
            shop.createProducer().send(replies, "an answer");
            Visitor operator = Visitor.loggedIn("operator");
            String list = operator.get("/console/messages?address="
                            + URLEncoder.encode(replies.getQueueName(), StandardCharsets.UTF_8))
                    .body();

            Matcher link = Pattern.compile("href=\"(/console/message\\?sequence=0&amp;subscription=-\\d+)\"")
                    .matcher(list);
            assertThat(link.find()).as(list).isTrue();
            String page = operator.get(link.group(1).replace("&amp;", "&")).body();
            assertThat(page)
                    .contains("Message 0 in memory", "an answer", "Waits:", "has no consumer", "Send a corrected copy");
            assertThat(page).as("no heading of what it does not have").doesNotContain("<h3>Application properties");
            String viewed = Visitor.loggedIn("viewer")
                    .get(link.group(1).replace("&amp;", "&"))
                    .body();
            assertThat(viewed).contains("Waits:").doesNotContain("an answer", "Send a corrected copy");
        }
    }

    @Test
    void saysThatThereIsNoSuchPage() throws Exception {
        HttpResponse<String> answer = Visitor.loggedIn("viewer").get("/console/nowhere");

        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(answer.body()).contains("RT-7405");
    }
}

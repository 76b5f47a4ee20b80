package io.ringtable.broker.admin.console;

import static io.ringtable.broker.admin.console.Chromium.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.WithoutBuildProperties;
import jakarta.jms.JMSContext;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.logging.LogType;

/** The console in a Chromium that reaches nothing but the broker. */
@ExtendWith(WithoutBuildProperties.class)
class ConsoleBrowserTest {
    private static final List<String> PAGES = List.of(
            "/console",
            "/console/addresses",
            "/console/address?name=orders",
            "/console/subscriptions",
            "/console/subscription?id=1",
            "/console/connections",
            "/console/links",
            "/console/deadletters",
            "/console/jobs",
            "/console/messages?address=orders",
            "/console/message?sequence=0",
            "/console/nowhere");

    @TempDir
    static Path directory;

    private static ChromeDriver browser;
    private static ConsoleApplication broker;

    @BeforeAll
    static void start() {
        browser = Chromium.start(directory.resolve("profile"));
        broker = ConsoleApplication.withUsers(directory.resolve("data"));
        try (JMSContext shop = broker.shop()) {
            shop.createProducer().send(shop.createQueue("orders"), "one");
        }
    }

    @AfterAll
    static void stop() {
        if (browser != null) {
            browser.quit();
        }
        if (broker != null) {
            broker.close();
        }
    }

    @BeforeEach
    void forgetWhoWasHere() {
        open("/console/login");
        browser.manage().deleteAllCookies();
        browser.manage().logs().get(LogType.BROWSER);
        browser.manage().window().setSize(new Dimension(1_280, 900));
    }

    /** A policy that is broken, a script that fails, a file that is missing: the browser's log has each. */
    @AfterEach
    void leavesNothingInTheLogOfTheBrowser() {
        assertThat(browser.manage().logs().get(LogType.BROWSER).getAll())
                .filteredOn(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
                .filteredOn(entry -> entry.getMessage().contains("/console/assets/")
                        || !entry.getMessage().contains("the server responded with a status of"))
                .isEmpty();
    }

    private static void open(String path) {
        browser.get(broker.http().resolve(path).toString());
    }

    private static void logIn(String user) {
        open("/console/login");
        field("username").sendKeys(user);
        field("password").sendKeys(user + Keys.ENTER);
        await().untilAsserted(() -> assertThat(text("user")).isEqualTo(user));
    }

    private static WebElement field(String name) {
        return browser.findElement(By.name(name));
    }

    private static String text(String id) {
        Object text = browser.executeScript("return document.getElementById(arguments[0])?.innerText ?? ''", id);
        return text.toString().strip(); // in one step: an element may be replaced between two
    }

    private static Object script(String script) {
        return browser.executeScript(script);
    }

    @Test
    void logsInAndOut() {
        open("/console");
        assertThat(browser.getTitle()).isEqualTo("Log in · Ringtable");
        field("username").sendKeys("viewer");
        field("password").sendKeys("wrong" + Keys.ENTER);
        await().untilAsserted(() -> assertThat(text("refused")).isEqualTo("The name or the password is wrong."));

        logIn("viewer");
        assertThat(text("role")).isEqualTo("viewer");
        assertThat(text("headline")).endsWith("All is well");

        browser.findElement(By.id("logout")).click();
        await().untilAsserted(() -> assertThat(browser.getCurrentUrl()).endsWith("/console/login?bye"));
    }

    @Test
    void listsTheNodesWhereThereAreSeveral() throws SQLException {
        logIn("viewer");
        assertThat(text("nodes")).as("the only node").isEmpty();

        execute("INSERT INTO node VALUES ('9c02', 'run', 'beta pid 8', '1.0', 'STANDBY', 'amqp://beta:5672',"
                + " CAST(unixepoch('subsec') * 1000 AS INTEGER), 3600000)");
        try {
            await().untilAsserted(() -> assertThat(text("nodes"))
                    .contains("(this one)", "ACTIVE", "beta pid 8", "STANDBY", "amqp://beta:5672"));
        } finally {
            execute("DELETE FROM node WHERE node_id = '9c02'");
        }
    }

    private static void execute(String sql) throws SQLException {
        Path file = directory.resolve("data").resolve("ringtable.db");
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA busy_timeout = 5000");
            statement.executeUpdate(sql);
        }
    }

    @Test
    void showsARateThatMoves() {
        logIn("viewer");
        AtomicBoolean enough = new AtomicBoolean();
        CompletableFuture<Void> publishing = CompletableFuture.runAsync(() -> {
            try (JMSContext shop = broker.shop()) {
                while (!enough.get()) {
                    shop.createProducer().send(shop.createQueue("rates"), "one");
                }
            }
        });
        try {
            await().until(() -> !text("rate-in").equals("0"));
            String before = text("next");
            await().until(() -> !text("next").equals(before));
            assertThat(browser.findElements(By.cssSelector("polyline.first"))).hasSize(2);
        } finally {
            enough.set(true);
            publishing.join();
        }
    }

    @Test
    void createsAndDeletesAnAddressByKeyboard() {
        logIn("administrator");
        open("/console/addresses");
        WebElement question = browser.findElement(By.xpath("//summary[.='Create an address']"));
        assertThat(field("name").isDisplayed()).isFalse();

        question.sendKeys(Keys.ENTER);
        field("name").sendKeys("by.keyboard" + Keys.ENTER);
        await().untilAsserted(() ->
                assertThat(browser.findElement(By.tagName("h1")).getText()).isEqualTo("by.keyboard"));
        assertThat(browser.findElement(By.className("note")).getText()).isEqualTo("Created.");

        browser.findElement(By.xpath("//summary[.='Delete']")).sendKeys(Keys.ENTER);
        browser.findElement(By.xpath("//button[.='Delete by.keyboard']")).sendKeys(Keys.ENTER);
        await().untilAsserted(() -> assertThat(browser.getCurrentUrl()).endsWith("/console/addresses?note=deleted"));
        assertThat(browser.findElements(By.linkText("by.keyboard"))).isEmpty();
    }

    @Test
    void offersAViewerNothingToChangeAndSaysWhyItIsRefused() {
        logIn("viewer");
        open("/console/address?name=orders");
        assertThat(browser.findElements(By.tagName("summary"))).isEmpty();

        // The form that is not there, with the token of this page.
        script("""
                const form = document.querySelector('.who form');
                form.action = '/console/address/delete';
                form.insertAdjacentHTML('beforeend', '<input name="name" value="orders">');
                form.submit();
                """);

        await().untilAsserted(() -> assertThat(text("code")).isEqualTo("RT-7706"));
        assertThat(text("problem")).contains("it needs the role administrator");
    }

    @Test
    void leadsTheKeyboardPastTheMenu() {
        logIn("viewer");
        browser.findElement(By.tagName("body")).sendKeys(Keys.TAB);
        WebElement first = browser.switchTo().activeElement();
        assertThat(first.getText()).isEqualTo("To the contents");

        first.sendKeys(Keys.ENTER);

        assertThat(browser.switchTo().activeElement().getAttribute("id")).isEqualTo("main");
    }

    /** The part that refreshes itself is replaced; the link in it that has the focus keeps it. */
    @Test
    void keepsTheFocusWhereItIsWhenFiguresRefresh() {
        logIn("viewer");
        script("document.getElementById('to-owed').focus()");
        String before = text("at");

        await().until(() -> !text("at").equals(before));

        assertThat(browser.switchTo().activeElement().getAttribute("id")).isEqualTo("to-owed");
    }

    @Test
    void asksForNothingWhileNobodySeesThePage() {
        logIn("viewer");
        script("""
                Object.defineProperty(document, 'hidden', {configurable: true, get: () => window.unseen === true});
                window.sent = 0;
                document.addEventListener('htmx:beforeSend', () => window.sent++);
                window.unseen = true;
                """);
        await().until(() -> script("""
                const before = window.sent;
                htmx.trigger('#live', 'refresh');
                return window.sent === before;
                """).equals(true));

        Object sent = script("window.unseen = false; const before = window.sent;"
                + "document.dispatchEvent(new Event('visibilitychange')); return window.sent - before;");

        assertThat(sent).isEqualTo(1L);
    }

    @Test
    void saysSinceWhenTheBrokerDoesNotAnswer() {
        logIn("viewer");
        Map<String, Object> offline =
                Map.of("offline", true, "latency", 0, "downloadThroughput", 0, "uploadThroughput", 0);
        browser.executeCdpCommand("Network.enable", Map.of());
        browser.executeCdpCommand("Network.emulateNetworkConditions", offline);
        try {
            await().untilAsserted(() ->
                    assertThat(text("stale")).startsWith("The broker does not answer. What you see is of "));
        } finally {
            browser.executeCdpCommand(
                    "Network.emulateNetworkConditions",
                    Map.of("offline", false, "latency", 0, "downloadThroughput", -1, "uploadThroughput", -1));
        }
        await().until(() -> !browser.findElement(By.id("stale")).isDisplayed());
        browser.manage().logs().get(LogType.BROWSER); // htmx logs the requests that had no answer
    }

    @Test
    void leadsToTheLoginWhenItHasEnded() {
        logIn("viewer");

        browser.manage().deleteCookieNamed("RINGTABLE_CONSOLE");

        await().untilAsserted(() -> assertThat(browser.getCurrentUrl()).contains("/console/login"));
    }

    @ParameterizedTest
    @ValueSource(ints = {390, 1_280})
    void fitsOnATelephoneAndOnADesk(int width) {
        logIn("administrator");
        browser.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", 800, "deviceScaleFactor", 1, "mobile", width < 500));
        try {
            for (String page : PAGES) {
                open(page);
                assertThat((Long) script("return document.documentElement.scrollWidth"))
                        .as(page)
                        .isLessThanOrEqualTo(width);
            }
        } finally {
            browser.executeCdpCommand("Emulation.clearDeviceMetricsOverride", Map.of());
        }
    }

    /** WCAG 2.2 asks 4.5:1 of text; headings and faint texts included. */
    @ParameterizedTest
    @ValueSource(strings = {"light", "dark"})
    void canBeReadInLightAndDark(String scheme) {
        logIn("administrator");
        browser.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
        try {
            for (String page : PAGES) {
                open(page);
                assertThat(script(CONTRASTS)).as(page + " in " + scheme).isEqualTo(List.of());
            }
        } finally {
            browser.executeCdpCommand("Emulation.setEmulatedMedia", Map.of("features", List.of()));
        }
    }

    /** Returns the texts whose contrast to what is behind them is less than 4.5. */
    private static final String CONTRASTS = """
            const parts = color => color.match(/[\\d.]+/g).map(Number);
            const luminance = ([r, g, b]) => {
              const linear = [r, g, b]
                .map(v => v / 255)
                .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
              return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
            };
            const behind = element => {
              for (let at = element; at; at = at.parentElement) {
                const color = parts(getComputedStyle(at).backgroundColor);
                if (color.length < 4 || color[3] === 1) return color;
              }
              return [255, 255, 255];
            };
            return [...document.querySelectorAll('body *')]
              .filter(e => !e.closest('svg') && [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()))
              .filter(e => e.getClientRects().length > 0)
              .map(e => {
                const a = luminance(parts(getComputedStyle(e).color));
                const b = luminance(behind(e));
                return [e, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)];
              })
              .filter(([e, contrast]) => contrast < 4.5)
              .map(([e, contrast]) => e.textContent.trim().substring(0, 40) + ' ' + contrast.toFixed(2));
            """;

    @Test
    void takesEverythingFromTheBroker() {
        logIn("administrator");

        assertThat((List<?>) script("return performance.getEntriesByType('resource').map(entry => entry.name)"))
                .isNotEmpty()
                .allSatisfy(name ->
                        assertThat(name.toString()).startsWith(broker.http().toString()));
    }
}

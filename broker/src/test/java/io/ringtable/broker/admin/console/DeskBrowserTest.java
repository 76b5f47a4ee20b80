package io.ringtable.broker.admin.console;

import static io.ringtable.broker.admin.console.Chromium.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.WithoutBuildProperties;
import jakarta.jms.Connection;
import jakarta.jms.JMSContext;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.TextMessage;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.support.ui.Select;

/** An operator at the dead-letter desk, in Chromium. */
@ExtendWith(WithoutBuildProperties.class)
class DeskBrowserTest {
    private static final int INDIVIDUAL_ACKNOWLEDGE = 101; // of Qpid JMS
    private static final int REJECTED = 2;
    private static final int LETTERS = 60;
    private static final long WAIT_MS = Duration.ofMinutes(1).toMillis();

    @TempDir
    static Path directory;

    private static ChromeDriver browser;
    private static ConsoleApplication broker;

    @BeforeAll
    static void start() throws Exception {
        browser = Chromium.start(directory.resolve("profile"));
        broker = ConsoleApplication.withUsers(directory.resolve("data"));
        rejectAll("orders");
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

    /** Publishes messages of two colours, and rejects each. */
    private static void rejectAll(String queue) throws Exception {
        try (Connection connection = broker.shopConnection()) {
            connection.start();
            Session session = connection.createSession(false, INDIVIDUAL_ACKNOWLEDGE);
            Queue orders = session.createQueue(queue);
            MessageProducer producer = session.createProducer(orders);
            for (int i = 0; i < LETTERS; i++) {
                TextMessage order = session.createTextMessage("{\"order\": " + i + ", \"name\": \"<b>Söhne</b>\"}");
                order.setStringProperty("colour", i % 2 == 0 ? "red" : "blue");
                producer.send(order);
            }
            MessageConsumer consumer = session.createConsumer(orders);
            for (int i = 0; i < LETTERS; i++) {
                Message order = consumer.receive(WAIT_MS);
                order.setIntProperty("JMS_AMQP_ACK_TYPE", REJECTED);
                order.acknowledge();
            }
        }
    }

    @BeforeEach
    void forgetWhoWasHere() {
        open("/console/login");
        browser.manage().deleteAllCookies();
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

    private static void press(String button) {
        browser.findElement(By.xpath("//button[.='" + button + "']")).click();
    }

    private static void awaitPage(String title) {
        await().untilAsserted(() -> {
            assertThat(browser.findElement(By.tagName("h1")).getText()).startsWith(title);
            assertThat(browser.executeScript("return document.readyState")).isEqualTo("complete");
        });
    }

    private static void awaitDesk() {
        open("/console/deadletters");
        await().until(() -> !browser.findElements(By.cssSelector(".group h2")).isEmpty());
    }

    private static void awaitDeskHeading(String heading) {
        await().untilAsserted(() -> {
            open("/console/deadletters");
            assertThat(browser.findElements(By.cssSelector(".group h2")))
                    .extracting(WebElement::getText)
                    .contains(heading);
        });
    }

    @Test
    void findsAMessageAndSeesWhatHappenedToIt() throws Exception {
        rejectAll("payments");
        logIn("operator");
        awaitDeskHeading(LETTERS + " from payments");
        browser.findElement(By.linkText("Look at them")).click();
        awaitPage("Messages");

        field("selector").sendKeys("colour = 'blue'" + Keys.ENTER);
        await().untilAsserted(() -> assertThat(
                        browser.findElement(By.tagName("tbody")).getText())
                .contains("\"order\":1,")
                .doesNotContain("\"order\":2,"));
        browser.findElement(By.cssSelector("tbody a")).click();
        awaitPage("Message ");

        assertThat(text("explained")).contains("Waits: queue 'DLQ' has no consumer", "What to do:");
        assertThat(text("body")).contains("\"order\" : 1", "<b>Söhne</b>");
        assertThat(text("shown")).contains("colour", "blue", "rejected");
    }

    @Test
    void explainsToAViewerWithoutShowingWhatAMessageSays() {
        logIn("viewer");
        awaitDesk();
        assertThat(browser.findElements(By.tagName("summary"))).isEmpty();
        assertThat(browser.findElements(By.linkText("Look at them"))).isEmpty();

        open("/console/messages");
        field("sequence").sendKeys(String.valueOf(2 * LETTERS - 1) + Keys.ENTER); // the last letter of the orders
        awaitPage("Message ");

        assertThat(text("explained")).contains("queue 'DLQ'");
        assertThat(browser.findElements(By.id("body"))).isEmpty();
        assertThat(browser.getPageSource()).doesNotContain("Söhne");
    }

    @Test
    void countsWithADryRunThenRedrives() throws Exception {
        rejectAll("invoices");
        logIn("operator");
        awaitDeskHeading(LETTERS + " from invoices");
        WebElement group = browser.findElement(By.xpath("//article[.//h2[contains(., 'invoices')]]"));
        group.findElement(By.tagName("summary")).click();
        group.findElement(By.name("selector")).sendKeys("colour = 'red'");
        group.findElement(By.tagName("button")).click();

        awaitPage("Job ");
        await().untilAsserted(() -> assertThat(text("state")).isEqualTo("DONE"));
        await().untilAsserted(() -> assertThat(text("acting")).contains("This was a dry run: nothing has changed."));
        press("Redrive " + LETTERS / 2 + " messages now");

        await().untilAsserted(() -> assertThat(browser.getCurrentUrl()).contains("expected="));
        await().untilAsserted(() -> {
            assertThat(text("state")).isEqualTo("DONE");
            assertThat(text("progress")).isEqualTo(LETTERS / 2 + " of " + LETTERS / 2);
            assertThat(browser.findElements(By.id("error"))).isEmpty();
        });
        awaitDeskHeading(LETTERS / 2 + " from invoices");
        try (Connection connection = broker.shopConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            MessageConsumer consumer = session.createConsumer(session.createQueue("invoices"));
            for (int i = 0; i < LETTERS / 2; i++) {
                assertThat(consumer.receive(WAIT_MS).getStringProperty("colour"))
                        .isEqualTo("red");
            }
        }
    }

    @Test
    void redrivesTheLettersOfOneHour() throws Exception {
        rejectAll("refunds");
        logIn("operator");
        awaitDeskHeading(LETTERS + " from refunds");
        open("/console/deadletters?hourly=true");
        WebElement hour = browser.findElement(By.xpath("//article[.//h2[contains(., 'refunds')]]"));
        assertThat(hour.getText()).contains("in the hour from");
        int letters = Integer.parseInt(hour.findElement(By.tagName("b")).getText()); // those of the newest hour
        hour.findElement(By.tagName("summary")).click();
        hour.findElement(By.tagName("button")).click();

        awaitPage("Job ");
        await().untilAsserted(() -> assertThat(text("state")).isEqualTo("DONE"));
        assertThat(text("live")).contains("Since", "Until");
        await().until(() -> !browser.findElements(By.className("dry")).isEmpty());
        press("Redrive " + letters + (letters == 1 ? " message now" : " messages now"));

        await().untilAsserted(() -> assertThat(text("progress")).isEqualTo(letters + " of " + letters));
        await().untilAsserted(() -> assertThat(text("state")).isEqualTo("DONE"));
        open("/console/deadletters");
        assertThat(browser.findElements(By.cssSelector(".group h2")))
                .extracting(WebElement::getText)
                .doesNotContain(LETTERS + " from refunds");
    }

    @Test
    void copiesAndDropsAMessageThatIsInMemoryAlone() throws Exception {
        try (JMSContext shop = broker.shop()) {
            TemporaryQueue replies = shop.createTemporaryQueue();
            shop.createProducer().send(replies, "an answer");
            logIn("operator");
            open("/console/subscriptions?volatile=true");
            browser.findElement(By.linkText("(queue)")).click();
            awaitPage("Subscription of ");
            assertThat(browser.findElement(By.tagName("main")).getText())
                    .contains("has no consumer")
                    .doesNotContain("Purge");
            browser.findElement(By.linkText("Look at what it owes")).click();
            awaitPage("Messages");
            browser.findElement(By.cssSelector("tbody a")).click();
            awaitPage("Message 0 in memory");
            assertThat(text("explained")).contains("Waits: ", "has no consumer", "What to do:");

            browser.findElement(By.xpath("//summary[.='Send a corrected copy']"))
                    .click();
            field("to").sendKeys("orders");
            field("body").clear();
            field("body").sendKeys("kept of an answer");
            press("Send the copy");
            await().untilAsserted(() -> assertThat(
                            browser.findElement(By.className("note")).getText())
                    .startsWith("Sent."));
            awaitPage("Message 0 in memory");
            browser.findElement(By.xpath("//summary[.='Delete']")).click();
            press("Delete message 0");
            await().untilAsserted(() -> assertThat(browser.getCurrentUrl()).endsWith("/console/messages?note=deleted"));

            assertThat(shop.createConsumer(replies).receiveNoWait()).isNull();
            open("/console/messages?address=orders");
            assertThat(browser.findElement(By.tagName("table")).getText()).contains("kept of an answer");
        }
    }

    @Test
    void cancelsAJobThatRuns() throws Exception {
        rejectAll("slow");
        logIn("operator");
        awaitDeskHeading(LETTERS + " from slow");
        WebElement group = browser.findElement(By.xpath("//article[.//h2[contains(., 'slow')]]"));
        group.findElement(By.tagName("summary")).click();
        new Select(group.findElement(By.name("action"))).selectByValue("move");
        group.findElement(By.name("to")).sendKeys("orders");
        group.findElement(By.name("rate")).sendKeys("1");
        group.findElement(By.tagName("button")).click();
        awaitPage("Job ");
        await().until(() -> !browser.findElements(By.className("dry")).isEmpty());
        press("Move " + LETTERS + " messages now");
        await().untilAsserted(() -> assertThat(text("state")).isEqualTo("RUNNING"));
        await().untilAsserted(() -> assertThat(text("progress")).matches("[1-9]\\d* of " + LETTERS));

        press("Cancel the job");

        await().untilAsserted(() -> assertThat(text("state")).isEqualTo("CANCELLED"));
        open("/console/jobs");
        assertThat(browser.findElement(By.tagName("table")).getText()).contains("cancelled");
    }

    @Test
    void sendsACorrectedCopyAndDeletesTheOriginal() {
        logIn("operator");
        open("/console/messages?address=DLQ");
        browser.findElement(By.cssSelector("tbody a")).click();
        awaitPage("Message ");
        browser.findElement(By.xpath("//summary[.='Send a corrected copy']")).click();
        field("to").clear();
        field("to").sendKeys("orders");
        field("body").clear();
        field("body").sendKeys("corrected");
        press("Send the copy");
        await().untilAsserted(() ->
                assertThat(browser.findElement(By.className("note")).getText()).startsWith("Sent."));
        awaitPage("Message ");
        String original = browser.findElement(By.tagName("h1")).getText().replace("Message ", "");

        browser.findElement(By.xpath("//summary[.='Delete']")).click();
        press("Delete message " + original);
        await().untilAsserted(() -> assertThat(browser.getCurrentUrl()).endsWith("/console/messages?note=deleted"));

        open("/console/messages?address=orders");
        assertThat(browser.findElement(By.tagName("table")).getText()).contains("corrected");
        open("/console/messages?address=DLQ");
        assertThat(browser.findElements(By.linkText(original))).isEmpty();
    }
}

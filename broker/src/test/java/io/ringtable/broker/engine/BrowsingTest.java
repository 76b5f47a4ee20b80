package io.ringtable.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.Message;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who browses sees what is ready, wherever it lies, and changes nothing; with a window of 16 messages on a real SQLite file. */
class BrowsingTest extends SteppedQueueTest {
    @Override
    void configure(SteppedEngine unopened) {
        unopened.dispatch = SMALL;
    }

    private Reader browser(String prefix, long credit) {
        return engine.browse(engine.reader(queue), prefix, credit);
    }

    private void publish(String text, int priority, long deliverAt) {
        engine.submit(new Message(queue, engine.now, priority, 0, deliverAt, SteppedEngine.bytes(text), 0));
    }

    @Test
    void everythingThatIsReadyIsShownInOrderAndNothingChanges() {
        engine.publish(queue, 0, 1_500);
        publish("urgent", 9, 0);
        publish("later", 4, engine.now + 1_000);
        engine.run();
        Reader browser = browser(null, 10_000).drain();
        engine.run();
        List<String> expected = new ArrayList<>(List.of("urgent"));
        expected.addAll(numbers(0, 1_500));
        assertThat(browser.texts()).isEqualTo(expected);
        assertThat(browser.drained).hasSize(1);
        Reader reader = engine.attach(engine.reader(queue), 10_000);
        engine.run();
        assertThat(reader.texts()).isEqualTo(expected);
        assertThat(reader.deliveries).noneMatch(Delivery::redelivered);
        assertThat(queue.quota().messages()).isEqualTo(1_502);
    }

    @Test
    void whatOthersHaveIsNotShown() {
        Reader reader = engine.attach(engine.reader(queue), 3);
        engine.publish(queue, 0, 100);
        Reader browser = browser(null, 1_000);
        engine.run();
        assertThat(browser.texts()).isEqualTo(numbers(3, 100));
        reader.release(reader.deliveries.get(1));
        engine.run();
        Reader again = browser(null, 2);
        engine.run();
        assertThat(again.texts())
                .as("what came back, and no more than its credit")
                .containsExactly("1", "3");
    }

    @Test
    void whatMovesToTheBacklogMeanwhileIsShownFromThere() {
        engine.publish(queue, 0, 1_500);
        Reader browser = browser(null, 700);
        engine.run();
        engine.passALap();
        browser.credit(10_000).drain();
        engine.run();
        assertThat(browser.texts()).isEqualTo(numbers(0, 1_500));
    }

    @Test
    void aBacklogThatNobodyHasReadIsShown() {
        engine.publish(queue, 0, 1_500);
        engine.passALap();
        engine.crashAndRestart();
        queue = engine.address("q");
        engine.publish(queue, 1_500, 1_600);
        Reader browser = browser("1", 10_000).drain();
        engine.run();
        assertThat(browser.texts())
                .isEqualTo(numbers(0, 1_600).stream()
                        .filter(text -> text.startsWith("1"))
                        .toList());
        assertThat(browser.drained).hasSize(1);
    }

    @Test
    void whatWasCommittedJustBeforeIsShownOfATemporaryQueueToo() {
        queue = engine.await(engine.doors.catalog().createTemporary(AddressKind.QUEUE, null));
        numbers(0, 3).forEach(text -> engine.publish(queue, text));
        while (engine.commitTurn() > 0) {
            // until all are committed
        }
        Reader browser = browser(null, 10).drain();
        engine.dispatchTurn();
        assertThat(browser.texts())
                .as("the browser came with the news, in one turn")
                .isEqualTo(numbers(0, 3));
        assertThat(browser.drained).hasSize(1);
    }

    @Test
    void whatIsConsumedMeanwhileIsLeftOut() {
        engine.publish(queue, 0, 1_500);
        Reader browser = browser(null, 10);
        engine.run();
        engine.passALap();
        Reader reader = engine.attach(engine.reader(queue), 10_000);
        engine.run();
        reader.acceptAll();
        reader.detach(false);
        engine.run();
        browser.credit(10_000).drain();
        engine.run();
        assertThat(browser.texts()).startsWith("0", "1", "2").hasSizeLessThanOrEqualTo(512);
        assertThat(browser.drained).hasSize(1);
        assertThat(queue.quota().messages()).isZero();
    }

    @Test
    void whoGoesIsShownNothingMore() {
        engine.publish(queue, 0, 1_500);
        Reader browser = browser(null, 10_000);
        engine.dispatchTurn();
        browser.detach(false);
        engine.run();
        assertThat(browser.deliveries).hasSizeLessThanOrEqualTo(512);
        browser.credit(10_000);
        engine.run();
        assertThat(browser.deliveries).hasSizeLessThanOrEqualTo(512);
    }

    @Test
    void browsersThatDoNotReadHoldLittleAndSeeEverythingInTheEnd() {
        for (int i = 0; i < 400; i++) {
            engine.submit(engine.message(queue, new byte[16 << 10]));
            engine.run();
        }
        List<Reader> browsers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            browsers.add(browser(null, 1_000));
        }
        engine.run();
        assertThat(engine.dispatcher.unsettledBytes()).as("of 20 times 6.4 MB").isLessThan(3 << 20);
        for (int round = 0; round < 10_000 && engine.dispatcher.unsettledBytes() > 0; round++) {
            for (Reader browser : browsers) {
                List.copyOf(browser.unsettled).forEach(browser::release); // it has been written
            }
            engine.run();
        }
        assertThat(browsers)
                .allSatisfy(browser -> assertThat(browser.deliveries).hasSize(400));
        browsers.forEach(browser -> browser.detach(false));
        engine.run();
        assertThat(engine.dispatcher.unsettledBytes()).isZero();
    }
}

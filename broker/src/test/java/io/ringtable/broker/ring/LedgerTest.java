package io.ringtable.broker.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LedgerTest {
    private final Ledger ledger = new Ledger();

    private List<String> staged() {
        List<String> rows = new ArrayList<>();
        ledger.forEachStaged((block, bit, settled) -> rows.add(block + "/" + bit));
        return rows;
    }

    @Test
    void countsAsDurableOnlyAfterTheCommit() {
        assertThat(ledger.stage(5, 3)).isTrue();
        assertThat(ledger.isSettled(5, 3)).isFalse();
        ledger.commit();
        assertThat(ledger.isSettled(5, 3)).isTrue();
        assertThat(ledger.isSettled(5, 2)).isFalse();
        assertThat(ledger.isSettled(6, 3)).isFalse();
    }

    @Test
    void whatIsRolledBackLeaksIntoNothing() {
        ledger.stage(5, 3);
        ledger.commit();
        ledger.stage(6, 3);
        ledger.rollBack();
        ledger.stage(7, 3);
        ledger.commit();
        assertThat(ledger.isSettled(5, 3)).isTrue();
        assertThat(ledger.isSettled(6, 3)).isFalse();
        assertThat(ledger.isSettled(7, 3)).isTrue();
    }

    @Test
    void aSettlementThatIsThereAlreadyWritesNoRow() {
        assertThat(ledger.stage(5, 3)).isTrue();
        assertThat(ledger.stage(5, 3)).isFalse();
        ledger.commit();
        assertThat(ledger.stage(5, 3)).isFalse();
        assertThat(staged()).isEmpty();
        assertThat(ledger.hasStaged()).isFalse();
    }

    @Test
    void oneRowForEachBlockAndBit() {
        for (long sequence = 1_000; sequence < 1_050; sequence++) {
            ledger.stage(sequence, 0);
            ledger.stage(sequence, 62);
        }
        assertThat(staged()).containsExactlyInAnyOrder("0/0", "0/62", "1/0", "1/62");
    }

    @Test
    void rowsBelowABlockGo() {
        ledger.stage(1_023, 1);
        ledger.stage(1_024, 1);
        ledger.commit();
        ledger.dropBelow(1);
        assertThat(ledger.isSettled(1_023, 1)).isFalse();
        assertThat(ledger.isSettled(1_024, 1)).isTrue();
    }
}

package io.ringtable.broker.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.recovery.RowFacts.Bits;
import io.ringtable.broker.recovery.RowFacts.Body;
import io.ringtable.broker.recovery.RowFacts.Home;
import io.ringtable.broker.recovery.RowFacts.LedgerBits;
import io.ringtable.broker.recovery.RowFacts.Owed;
import io.ringtable.broker.recovery.RowFacts.Place;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Every combination of facts, possible or not, against the words of the design. */
class DecisionTableTest {

    @Test
    void exactlyOneRowMatchesEachCombination() {
        List<RowFacts> all = DecisionTable.combinations();
        assertThat(all).hasSize(96).doesNotHaveDuplicates();
        for (RowFacts facts : all) {
            List<DecisionTable.Rule> matching = DecisionTable.RULES.stream()
                    .filter(rule -> rule.matches(facts))
                    .toList();
            assertThat(matching).as("rows for %s", facts).hasSize(1);
            assertThat(DecisionTable.decide(facts)).isSameAs(matching.get(0));
        }
    }

    @Test
    void noRowIsThereInVain() {
        Set<DecisionTable.Rule> used = new HashSet<>();
        DecisionTable.combinations().forEach(facts -> used.add(DecisionTable.decide(facts)));
        assertThat(used).containsExactlyInAnyOrderElementsOf(DecisionTable.RULES);
    }

    @Test
    void eachCombinationHasTheVerdictThatItsFactsDemand() {
        for (RowFacts facts : DecisionTable.combinations()) {
            assertThat(DecisionTable.decide(facts).verdict()).as("%s", facts).isEqualTo(demanded(facts));
        }
    }

    private static Verdict demanded(RowFacts facts) {
        boolean contradiction = facts.place() == Place.ASTRAY
                || facts.bits() == Bits.MISCOUNTED
                || facts.ledger() == LedgerBits.BEYOND
                || facts.home() == Home.NEVER
                || facts.home() == Home.FORMER && facts.owed() == Owed.SOME;
        if (contradiction) {
            return Verdict.REFUSED;
        }
        if (facts.owed() == Owed.NONE) {
            return Verdict.OVER;
        }
        return facts.body() == Body.COMPLETE ? Verdict.OWED : Verdict.PARKED;
    }
}

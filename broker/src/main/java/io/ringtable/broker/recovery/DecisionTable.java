package io.ringtable.broker.recovery;

import io.ringtable.broker.recovery.RowFacts.Bits;
import io.ringtable.broker.recovery.RowFacts.Body;
import io.ringtable.broker.recovery.RowFacts.Home;
import io.ringtable.broker.recovery.RowFacts.LedgerBits;
import io.ringtable.broker.recovery.RowFacts.Owed;
import io.ringtable.broker.recovery.RowFacts.Place;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Decides what happens to each combination of {@link RowFacts}: exactly one row matches each of the 96.
 * <pre>
 *   place    bits        ledger  address  owed  body        → verdict
 *   FOLLOWS  COUNTED     WITHIN  KNOWN    SOME  COMPLETE    → owed
 *   FOLLOWS  COUNTED     WITHIN  KNOWN    SOME  INCOMPLETE  → parked
 *   FOLLOWS  COUNTED     WITHIN  KNOWN    NONE  any         → over: settled, or its subscriptions went
 *   FOLLOWS  COUNTED     WITHIN  FORMER   NONE  any         → over: its address was deleted
 *   FOLLOWS  COUNTED     WITHIN  FORMER   SOME  any         ┐
 *   FOLLOWS  COUNTED     WITHIN  NEVER    any   any         │
 *   FOLLOWS  COUNTED     BEYOND  any      any   any         ├ impossible: the start is refused
 *   FOLLOWS  MISCOUNTED  any     any      any   any         │
 *   ASTRAY   any         any     any      any   any         ┘
 * </pre>
 * An incomplete body is no damage once nobody owes the message: bodies go first.
 */
final class DecisionTable {

    /** Describes one row of the table. Empty sets match any fact. */
    record Rule(
            Verdict verdict,
            String label,
            Set<Place> place,
            Set<Bits> bits,
            Set<LedgerBits> ledger,
            Set<Home> home,
            Set<Owed> owed,
            Set<Body> body) {

        boolean matches(RowFacts facts) {
            return has(place, facts.place())
                    && has(bits, facts.bits())
                    && has(ledger, facts.ledger())
                    && has(home, facts.home())
                    && has(owed, facts.owed())
                    && has(body, facts.body());
        }

        private static <E> boolean has(Set<E> wanted, E fact) {
            return wanted.isEmpty() || wanted.contains(fact);
        }
    }

    static final List<Rule> RULES = List.of(
            sound(Verdict.OWED, "owed", Set.of(Home.KNOWN), Set.of(Owed.SOME), Set.of(Body.COMPLETE)),
            sound(
                    Verdict.PARKED,
                    "its body in overflow is incomplete",
                    Set.of(Home.KNOWN),
                    Set.of(Owed.SOME),
                    Set.of(Body.INCOMPLETE)),
            sound(Verdict.OVER, "settled, or its subscriptions went", Set.of(Home.KNOWN), Set.of(Owed.NONE), Set.of()),
            sound(Verdict.OVER, "its address was deleted", Set.of(Home.FORMER), Set.of(Owed.NONE), Set.of()),
            sound(
                    Verdict.REFUSED,
                    "it is owed by a subscription of an address that was deleted",
                    Set.of(Home.FORMER),
                    Set.of(Owed.SOME),
                    Set.of()),
            sound(
                    Verdict.REFUSED,
                    "its address has an id that was never given away",
                    Set.of(Home.NEVER),
                    Set.of(),
                    Set.of()),
            damaged(
                    "the ledger has settled a bit that is not pending",
                    Set.of(Place.FOLLOWS),
                    Set.of(Bits.COUNTED),
                    Set.of(LedgerBits.BEYOND)),
            damaged(
                    "its reference count is not the number of its pending bits",
                    Set.of(Place.FOLLOWS),
                    Set.of(Bits.MISCOUNTED),
                    Set.of()),
            damaged("it does not follow the row before it", Set.of(Place.ASTRAY), Set.of(), Set.of()));

    private static final Rule[] BY_FACTS = index();

    private DecisionTable() {}

    private static Rule sound(Verdict verdict, String label, Set<Home> home, Set<Owed> owed, Set<Body> body) {
        return new Rule(
                verdict,
                label,
                Set.of(Place.FOLLOWS),
                Set.of(Bits.COUNTED),
                Set.of(LedgerBits.WITHIN),
                home,
                owed,
                body);
    }

    private static Rule damaged(String label, Set<Place> place, Set<Bits> bits, Set<LedgerBits> ledger) {
        return new Rule(Verdict.REFUSED, label, place, bits, ledger, Set.of(), Set.of(), Set.of());
    }

    static Rule decide(RowFacts facts) {
        return BY_FACTS[number(facts)];
    }

    /** Returns every combination, possible or not. */
    static List<RowFacts> combinations() {
        List<RowFacts> all = new ArrayList<>();
        for (Place place : Place.values()) {
            for (Bits bits : Bits.values()) {
                for (LedgerBits ledger : LedgerBits.values()) {
                    for (Home home : Home.values()) {
                        for (Owed owed : EnumSet.allOf(Owed.class)) {
                            for (Body body : Body.values()) {
                                all.add(new RowFacts(place, bits, ledger, home, owed, body));
                            }
                        }
                    }
                }
            }
        }
        return all;
    }

    private static Rule[] index() {
        List<RowFacts> all = combinations();
        Rule[] rules = new Rule[all.size()];
        for (RowFacts facts : all) {
            List<Rule> matching =
                    RULES.stream().filter(rule -> rule.matches(facts)).toList();
            if (matching.size() != 1) {
                throw new IllegalStateException(
                        "RT-2905 the decision table has " + matching.size() + " rows for " + facts);
            }
            rules[number(facts)] = matching.get(0);
        }
        return rules;
    }

    /** Numbers each combination: mixed radix, 2 x 2 x 2 x 3 x 2 x 2. */
    private static int number(RowFacts facts) {
        int number = facts.place().ordinal();
        number = number * 2 + facts.bits().ordinal();
        number = number * 2 + facts.ledger().ordinal();
        number = number * 3 + facts.home().ordinal();
        number = number * 2 + facts.owed().ordinal();
        return number * 2 + facts.body().ordinal();
    }
}

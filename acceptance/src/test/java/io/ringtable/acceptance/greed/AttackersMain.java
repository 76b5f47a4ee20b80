package io.ringtable.acceptance.greed;

import io.ringtable.acceptance.harness.Pace;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * Runs one attack: says {@link #READY} when its ground is laid, begins and ends as its input says, and prints its
 * deeds. Says {@link #BITES} once it has done what it has to do at the least, or has tried for a minute.
 * <p>
 * Threads: {@code attacker-N}, each of which repeats the attack's round; the main thread reads the input. Failure: a
 * round that fails is counted and repeated, since the broker may end an attacker's connection.
 */
final class AttackersMain {
    static final String READY = "ready";
    static final String BEGIN = "begin";
    static final String BITES = "bites";
    static final String END = "end";
    private static final Duration BITE_MAX = Duration.ofMinutes(1);
    /** Between a connection that the broker has ended and the next one. */
    private static final Duration PAUSE = Duration.ofMillis(20);

    private final Attack attack;
    private final Victim victim;
    private volatile boolean ended;

    private AttackersMain(Attack attack, int port) {
        this.attack = attack;
        this.victim = new Victim(port, new Deeds());
    }

    /** @param args name of the attack, port of the broker */
    public static void main(String[] args) throws IOException, InterruptedException {
        AttackersMain attackers = new AttackersMain(AttackName.valueOf(args[0]).attack(), Integer.parseInt(args[1]));
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        attackers.attack.prepare(attackers.victim);
        System.out.println(READY);
        if (BEGIN.equals(input.readLine())) {
            attackers.begin();
            attackers.victim.deeds().await(attackers.attack.bite(), BITE_MAX);
            System.out.println(BITES);
            input.readLine();
            attackers.ended = true;
            attackers.victim.deeds().counts().forEach((deed, count) -> System.out.println(count + "\t" + deed));
            System.out.flush();
        }
        Runtime.getRuntime().halt(0); // whatever the attackers wait for
    }

    private void begin() {
        for (int n = 0; n < attack.attackers(); n++) {
            int number = n;
            Thread attacker = new Thread(() -> goRound(number), "attacker-" + n);
            attacker.setDaemon(true);
            attacker.start();
        }
    }

    private void goRound(int number) {
        while (!ended) {
            try {
                attack.round(victim, number);
            } catch (IOException | UncheckedIOException e) {
                victim.deeds().add("rounds cut short");
                Pace.pass(PAUSE);
            }
        }
    }
}

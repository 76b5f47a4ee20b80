package io.ringtable.acceptance.greed;

import java.io.IOException;
import org.apache.qpid.protonj2.types.transport.Detach;
import org.apache.qpid.protonj2.types.transport.Open;

/** Does whatever is logged, with names that are long and broken into lines that look like the broker's own. */
final class LogLines implements Attack {
    /** Begins a line of the broker's log only if the broker lets a client break its lines. */
    static final String FORGED = "FORGED LINE";

    private static final String NAME = ("\n" + FORGED + "\r\n").repeat(10);
    private static final String CONTAINER = ("\n" + FORGED + "\r\n").repeat(60_000 / 14);

    @Override
    public boolean hasUsers() {
        return true;
    }

    @Override
    public int attackers() {
        return 4;
    }

    @Override
    public void round(Victim victim, int attacker) throws IOException {
        if (attacker % 2 == 0) {
            GreedyConnection.login(victim, "127.0.2." + attacker, NAME + System.nanoTime(), "wrong", "greedy")
                    .close();
        } else {
            breakTheRules(victim, attacker);
        }
    }

    /** The broker logs why it closes a connection, and whose it was. */
    private static void breakTheRules(Victim victim, int attacker) throws IOException {
        try (GreedyConnection connection = GreedyConnection.login(
                victim, "127.0.0.1", GreedUsers.GREEDY, GreedUsers.PASSWORD, attacker + CONTAINER)) {
            connection.awaitAnswers(Open.class, 1);
            connection.send(7, new Detach().setHandle(3)); // of a session that was not begun
            victim.deeds().add("violations with a container id of 60 KB");
            connection.await(() -> false);
        }
    }

    @Override
    public Bite bite() {
        return new Bite("violations with a container id of 60 KB", 50);
    }
}

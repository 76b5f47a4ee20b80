package io.ringtable.acceptance.greed;

import java.io.IOException;

/** 200 attackers, each from an address of its own, try wrong passwords of a user who works. */
final class Passwords implements Attack {
    @Override
    public boolean hasUsers() {
        return true;
    }

    @Override
    public int attackers() {
        return 200;
    }

    @Override
    public void round(Victim victim, int attacker) throws IOException {
        String from = "127.0.1." + (1 + attacker);
        GreedyConnection.login(victim, from, GreedUsers.HONEST, "wrong", "greedy-" + attacker)
                .close();
        victim.deeds().add("logins that should have failed");
    }

    @Override
    public Bite bite() {
        return new Bite("logins AUTH", 50);
    }

    @Override
    public String violation(Deeds deeds) {
        return deeds.of("logins that should have failed") == 0 ? "" : "a wrong password was taken";
    }
}

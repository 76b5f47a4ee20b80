package io.ringtable.broker.login.scram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.wire.ScramHash;
import io.ringtable.wire.ScramVerifier;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import javax.security.sasl.SaslException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the messages that a client may send. Module wire tests the arithmetic, and Qpid JMS whole exchanges. */
class ScramExchangeTest {
    private static final ScramVerifiers USERS = new ScramVerifiers(Map.of(), Map.of("a,b=c", "pencil"));

    private static ScramExchange begin(String clientFirst) throws SaslException {
        return ScramExchange.begin(ScramHash.SHA_256, clientFirst.getBytes(StandardCharsets.UTF_8), USERS);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "n,,n=a=2Cb=3Dc,r=x",
                "y,,n=a=2Cb=3Dc,r=x", // would bind a channel if the broker did
                "n,a=a=2Cb=3Dc,n=a=2Cb=3Dc,r=x",
                "n,,n=a=2Cb=3Dc,r=x,z=later",
            })
    void readsTheFirstMessage(String message) throws Exception {
        ScramExchange exchange = begin(message);

        assertThat(exchange.name()).isEqualTo("a,b=c");
        assertThat(new String(exchange.serverFirst(), StandardCharsets.UTF_8))
                .matches("r=x[A-Za-z0-9+/]{24},s=[A-Za-z0-9+/]{22}==,i=4096");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''                        | none of SCRAM",
                "nonsense                  | none of SCRAM",
                "n,,n=,r=x                 | none of SCRAM",
                "n,,n=a                    | none of SCRAM",
                "n,,n=a,r=                 | none of SCRAM",
                "n,,m=must,n=a,r=x         | none of SCRAM",
                "p=tls-unique,,n=a,r=x     | channel binding",
                "n,,n=a=b,r=x              | not escaped",
                "n,a=root,n=a,r=x          | another identity",
            })
    void refusesAnotherFirstMessage(String message, String why) {
        assertThatThrownBy(() -> begin(message))
                .isInstanceOf(SaslException.class)
                .hasMessageContaining(why);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''                      | none of SCRAM",
                "c=biws,r=NONCE          | none of SCRAM",
                "c=biws,r=NONCE,p=       | none of SCRAM",
                "c=eSws,r=NONCE,p=AAAA   | another header",
                "c=biws,r=NONCEx,p=AAAA  | another nonce",
                "c=biws,r=x,p=AAAA       | another nonce",
                "c=biws,r=NONCE,p=A      | not Base64",
            })
    void refusesAnotherFinalMessage(String message, String why) throws Exception {
        ScramExchange exchange = begin("n,,n=a,r=x");
        String sent = message.replace("NONCE", nonce(exchange));

        assertThatThrownBy(() -> exchange.readFinal(sent.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(SaslException.class)
                .hasMessageContaining(why);
    }

    @Test
    void aProofOfTheWrongLengthIsNone() throws Exception {
        ScramExchange exchange = begin("n,,n=a,r=x");
        exchange.readFinal(("c=biws,r=" + nonce(exchange) + ",p=AAAA").getBytes(StandardCharsets.UTF_8));

        assertThat(exchange.isProved()).isFalse();
    }

    private static String nonce(ScramExchange exchange) {
        return new String(exchange.serverFirst(), StandardCharsets.UTF_8).split(",")[0].substring("r=".length());
    }

    @Test
    void everyExchangeHasANonceOfItsOwn() throws Exception {
        assertThat(nonce(begin("n,,n=a,r=x"))).isNotEqualTo(nonce(begin("n,,n=a,r=x")));
    }

    /** Otherwise a stranger could ask for salts twice, or across a restart, and see which names exist. */
    @Test
    void anUnknownNameHasASaltOfItsOwnThatStaysAndLooksLikeThatOfAUser() {
        String verifier = ScramVerifier.of(ScramHash.SHA_256, "pencil", new byte[12], 5_000)
                .notation();
        ScramVerifiers users = new ScramVerifiers(Map.of("shop", verifier), Map.of());
        ScramVerifiers restarted = new ScramVerifiers(Map.of("shop", verifier), Map.of());

        ScramVerifier decoy = users.of(ScramHash.SHA_256, "nobody");

        assertThat(decoy.iterations()).isEqualTo(5_000);
        assertThat(decoy.salt())
                .hasSize(12)
                .isEqualTo(restarted.of(ScramHash.SHA_256, "nobody").salt())
                .isNotEqualTo(users.of(ScramHash.SHA_256, "nobody else").salt());
        assertThat(decoy.matches("pencil")).isFalse();
        assertThat(users.of(ScramHash.SHA_256, "shop").matches("pencil")).isTrue();
    }

    @Test
    void plainTextGetsTheSameSaltAtEveryStart() {
        assertThat(USERS.of(ScramHash.SHA_512, "a,b=c").salt())
                .isEqualTo(new ScramVerifiers(Map.of(), Map.of("a,b=c", "pencil"))
                        .of(ScramHash.SHA_512, "a,b=c")
                        .salt());
    }
}

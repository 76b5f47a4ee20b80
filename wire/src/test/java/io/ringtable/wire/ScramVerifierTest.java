package io.ringtable.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ScramVerifierTest {
    private static final byte[] SALT = Base64.getDecoder().decode("W22ZaJ0SNY7soEsUEjb6gQ==");

    /** The exchange of RFC 7677 section 3: user "user", password "pencil". */
    @Test
    void acceptsTheProofAndGivesTheSignatureOfRfc7677() {
        String nonce = "rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
        byte[] authMessage = ("n=user,r=rOprNGfwEbeRWgbNEkqO,r=" + nonce
                        + ",s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,c=biws,r=" + nonce)
                .getBytes(StandardCharsets.US_ASCII);
        byte[] proof = Base64.getDecoder().decode("dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=");

        ScramVerifier verifier = ScramVerifier.of(ScramHash.SHA_256, "pencil", SALT, 4096);

        assertThat(verifier.accepts(proof, authMessage)).isTrue();
        assertThat(Base64.getEncoder().encodeToString(verifier.serverSignature(authMessage)))
                .isEqualTo("6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
        proof[7]++;
        assertThat(verifier.accepts(proof, authMessage)).isFalse();
        assertThat(verifier.accepts(new byte[0], authMessage)).isFalse();
        assertThat(ScramVerifier.of(ScramHash.SHA_256, "pencils", SALT, 4096).accepts(proof, authMessage))
                .isFalse();
    }

    /** Behind the prefix stands what PostgreSQL stores behind its own, {@code SCRAM-SHA-256$}. */
    @Test
    void writesTheNotationOfPostgresqlBehindItsPrefix() {
        assertThat(ScramVerifier.of(ScramHash.SHA_256, "pencil", SALT, 4096).notation())
                .isEqualTo("{scram-sha-256}4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:"
                        + "wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=");
    }

    @ParameterizedTest
    @EnumSource(ScramHash.class)
    void readsWhatItWrites(ScramHash hash) {
        ScramVerifier read = ScramVerifier.parse(
                ScramVerifier.of(hash, "pencil", SALT, 5_000).notation());

        assertThat(read.hash()).isEqualTo(hash);
        assertThat(read.iterations()).isEqualTo(5_000);
        assertThat(read.salt()).isEqualTo(SALT);
        assertThat(read.matches("pencil")).isTrue();
        assertThat(read.matches("Pencil")).isFalse();
        assertThat(read.matches("")).isFalse();
    }

    @Test
    void takesLettersAndBlanksHoweverTheyAreComposed() {
        ScramVerifier verifier = ScramVerifier.of(ScramHash.SHA_256, "sch\u00f6n und gut", SALT, 4096);

        assertThat(verifier.matches("scho\u0308n und gut")).isTrue();
        assertThat(verifier.matches("sch\u00f6n\u00a0und\u3000g\u00adut")).isTrue();
        assertThat(verifier.matches("schon und gut")).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "pencil, no prefix",
        "{scram-sha-1}4096:AAAAAAAAAAA=$AA==:AA==, no prefix",
        "{scram-sha-256}, not ITERATIONS",
        "{scram-sha-256}SCRAM-SHA-256$4096:AAAAAAAAAAA=$AA==:AA==, not ITERATIONS",
        "{scram-sha-256}4096:AAAAAAAAAAA=$AA==, not ITERATIONS",
        "{scram-sha-256}4096:A$AA==:AA==, the salt is not Base64",
        "{scram-sha-256}4095:AAAAAAAAAAA=$AA==:AA==, '4095 iterations, not between 4096 and 1000000'",
        "{scram-sha-256}1000001:AAAAAAAAAAA=$AA==:AA==, '1000001 iterations, not between'",
        "{scram-sha-256}4096:AAAA$AA==:AA==, '3 bytes of salt, not between 8 and 64'",
        "{scram-sha-512}4096:AAAAAAAAAAA=$AA==:AA==, '1 bytes of StoredKey, not 64'",
    })
    void saysWhatIsWrongWithANotation(String notation, String message) {
        assertThatThrownBy(() -> ScramVerifier.parse(notation))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(message);
    }

    @Test
    void refusesAnEmptyPassword() {
        assertThatThrownBy(() -> ScramVerifier.of(ScramHash.SHA_512, "", SALT, 4096))
                .isInstanceOf(IllegalArgumentException.class);
    }
}

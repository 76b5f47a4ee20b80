package io.ringtable.broker;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.function.Consumer;

/** An issuer of tokens, with a key of its own. */
public final class SignedTokens {
    public static final String ISSUER = "https://issuer.example.com";
    public static final String AUDIENCE = "ringtable";

    private final ECKey key;

    public SignedTokens() throws JOSEException {
        key = new ECKeyGenerator(Curve.P_256).keyID("1").generate();
    }

    /** Returns the public key as issuers publish it. */
    public String jwks() {
        return new JWKSet(key.toPublicJWK()).toString();
    }

    /** Makes a token that is valid for a while. */
    public String token(String user, Duration validity) throws JOSEException {
        return token(claims ->
                claims.subject(user).expirationTime(Date.from(Instant.now().plus(validity))));
    }

    /** Makes a token for our audience, without user and expiry unless these are given. */
    public String token(Consumer<JWTClaimsSet.Builder> more) throws JOSEException {
        JWTClaimsSet.Builder claims = new JWTClaimsSet.Builder()
                .issuer(ISSUER)
                .audience(List.of("others", AUDIENCE))
                .claim("groups", List.of("sales", "till"));
        more.accept(claims);
        SignedJWT signed = new SignedJWT(
                new JWSHeader.Builder(JWSAlgorithm.ES256).keyID(key.getKeyID()).build(), claims.build());
        signed.sign(new ECDSASigner(key));
        return signed.serialize();
    }

    /** Returns settings that take these tokens. @param jwks where the keys are */
    public static TestSettings settings(String jwks) {
        return TestSettings.of(
                "ringtable.security.oauth.jwks", jwks,
                "ringtable.security.oauth.issuer", ISSUER,
                "ringtable.security.oauth.audience", AUDIENCE);
    }
}

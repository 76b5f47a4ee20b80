package io.ringtable.acceptance.login;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.util.Base64;

/** Signs tokens as an issuer of OAuth 2 does (RFC 7515, ES256), with nothing but the JDK. */
final class TokenIssuer {
    static final String NAME = "https://issuer.example.com";

    private static final int COORDINATE_BYTES = 32;

    private final KeyPair keys;

    TokenIssuer() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        keys = generator.generateKeyPair();
    }

    /** Returns the public key as a set of keys (RFC 7517). */
    String keySet() {
        ECPublicKey key = (ECPublicKey) keys.getPublic();
        return "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"kid\":\"1\",\"x\":\""
                + coordinate(key.getW().getAffineX()) + "\",\"y\":\""
                + coordinate(key.getW().getAffineY()) + "\"}]}";
    }

    private static String coordinate(BigInteger value) {
        byte[] signed = value.toByteArray();
        byte[] bytes = new byte[COORDINATE_BYTES];
        int length = Math.min(signed.length, COORDINATE_BYTES);
        System.arraycopy(signed, signed.length - length, bytes, COORDINATE_BYTES - length, length);
        return base64(bytes);
    }

    String token(String user, String audience) throws GeneralSecurityException {
        String claims = "{\"iss\":\"" + NAME + "\",\"sub\":\"" + user + "\",\"aud\":\"" + audience + "\",\"exp\":"
                + Instant.now().plusSeconds(600).getEpochSecond() + "}";
        String unsigned = base64("{\"alg\":\"ES256\",\"kid\":\"1\"}".getBytes(StandardCharsets.UTF_8)) + "."
                + base64(claims.getBytes(StandardCharsets.UTF_8));
        Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
        signature.initSign(keys.getPrivate());
        signature.update(unsigned.getBytes(StandardCharsets.US_ASCII));
        return unsigned + "." + base64(signature.sign());
    }

    private static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}

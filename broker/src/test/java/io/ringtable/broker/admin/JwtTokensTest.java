package io.ringtable.broker.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.sun.net.httpserver.HttpServer;
import io.ringtable.broker.SignedTokens;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.config.SecurityProperties.Oauth;
import io.ringtable.broker.login.TokenAuthenticator.VerifiedToken;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.security.oauth2.jwt.JwtException;

class JwtTokensTest {
    private static final Duration HOUR = Duration.ofHours(1);

    @TempDir
    private Path directory;

    private Path file;
    private SignedTokens issuer;
    private JwtTokens tokens;

    @BeforeEach
    void makeKeys() throws Exception {
        issuer = new SignedTokens();
        file = Files.writeString(directory.resolve("keys.json"), issuer.jwks());
        tokens = new JwtTokens(oauth("file:" + file));
    }

    private static Oauth oauth(String jwks) {
        return new Oauth(jwks, SignedTokens.ISSUER, SignedTokens.AUDIENCE, "sub", "groups");
    }

    private String refusal(String token) {
        List<String> why = new ArrayList<>();
        assertThat(tokens.check(token, why::add)).isNull();
        assertThat(why).hasSize(1);
        return why.get(0);
    }

    @Test
    void readsUserGroupsAndExpiry() throws Exception {
        VerifiedToken token = tokens.check(issuer.token("ann", HOUR), why -> {});

        assertThat(token.name()).isEqualTo("ann");
        assertThat(token.groups()).isEqualTo(Set.of("sales", "till"));
        assertThat(token.expiresAt())
                .isBetween(Instant.now().plusSeconds(3_500), Instant.now().plusSeconds(3_601));
    }

    @Test
    void readsOtherClaimsIfToldTo() throws Exception {
        tokens = new JwtTokens(
                new Oauth("file:" + file, SignedTokens.ISSUER, SignedTokens.AUDIENCE, "client_id", "scope"));
        String token = issuer.token(claims -> claims.claim("client_id", "shop")
                .claim("scope", "read write")
                .expirationTime(Date.from(Instant.now().plus(HOUR))));

        assertThat(tokens.check(token, why -> {}).name()).isEqualTo("shop");
        assertThat(tokens.check(token, why -> {}).groups()).isEqualTo(Set.of("read", "write"));
    }

    @Test
    void refusesTokensOfOthersForOthersAndOfThePast() throws Exception {
        Date later = Date.from(Instant.now().plus(HOUR));

        assertThat(refusal(new SignedTokens().token("ann", HOUR))).contains("signature");
        assertThat(refusal(issuer.token("ann", Duration.ofSeconds(-1)))).contains("expired");
        assertThat(refusal(issuer.token(claims -> claims.subject("ann")))).contains("does not say when");
        assertThat(refusal(issuer.token(
                        claims -> claims.subject("ann").expirationTime(later).issuer("https://evil.example.com"))))
                .contains("iss");
        assertThat(refusal(issuer.token(
                        claims -> claims.subject("ann").expirationTime(later).audience("others"))))
                .contains("aud");
        assertThat(refusal(issuer.token(claims -> claims.expirationTime(later))))
                .contains("no claim sub");
        assertThat(refusal(new PlainJWT(new JWTClaimsSet.Builder()
                                .subject("ann")
                                .issuer(SignedTokens.ISSUER)
                                .audience(SignedTokens.AUDIENCE)
                                .expirationTime(later)
                                .build())
                        .serialize()))
                .as("without a signature")
                .isNotEmpty();
        assertThat(refusal("nonsense")).isNotEmpty();
    }

    @Test
    void takesAKeyAtOnceThatIsInTheFile() throws Exception {
        SignedTokens next = new SignedTokens();
        Files.writeString(file, next.jwks());

        assertThat(tokens.check(next.token("ann", HOUR), why -> {})).isNotNull();
        Files.writeString(file, "nonsense");
        String token = next.token("ann", HOUR);
        assertThatThrownBy(() -> tokens.check(token, why -> {})).isInstanceOf(JwtException.class);
    }

    @Test
    void takesKeysFromAnAddress() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/keys", exchange -> {
            byte[] body = issuer.jwks().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        String address = "http://127.0.0.1:" + server.getAddress().getPort() + "/keys";
        try {
            tokens = new JwtTokens(oauth(address));
            assertThat(tokens.check(issuer.token("ann", HOUR), why -> {}).name())
                    .isEqualTo("ann");
        } finally {
            server.stop(0);
        }
        String token = issuer.token("ann", HOUR);
        assertThatThrownBy(() -> new JwtTokens(oauth(address)).check(token, why -> {}))
                .isInstanceOf(JwtException.class);
    }

    @Test
    void refusesSettingsByWhichOthersCouldMakeTokens() {
        assertThatThrownBy(() -> new Oauth("file:keys.json", "https://issuer", null, "sub", "groups"))
                .isInstanceOf(ConfigurationRefused.class)
                .hasMessageStartingWith("RT-1129 ringtable.security.oauth.jwks needs");
        for (String jwks : new String[] {"http://issuer.example.com/keys", "http://localhost.example.com/", "keys"}) {
            assertThatThrownBy(() -> oauth(jwks))
                    .hasMessageStartingWith("RT-1130 ringtable.security.oauth.jwks=" + jwks);
        }
    }
}

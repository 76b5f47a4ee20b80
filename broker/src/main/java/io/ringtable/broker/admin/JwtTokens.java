package io.ringtable.broker.admin;

import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.proc.ConfigurableJWTProcessor;
import io.ringtable.broker.config.SecurityProperties.Oauth;
import io.ringtable.broker.login.TokenAuthenticator;
import io.ringtable.broker.login.TokenAuthenticator.VerifiedToken;
import java.io.File;
import java.io.IOException;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.security.oauth2.core.DelegatingOAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2Error;
import org.springframework.security.oauth2.core.OAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2TokenValidatorResult;
import org.springframework.security.oauth2.jose.jws.SignatureAlgorithm;
import org.springframework.security.oauth2.jwt.BadJwtException;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtAudienceValidator;
import org.springframework.security.oauth2.jwt.JwtIssuerValidator;
import org.springframework.security.oauth2.jwt.JwtTimestampValidator;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.web.client.RestTemplate;

/**
 * Checks bearer tokens that are signed JWTs, with Spring Security: signature, issuer, audience and times. The keys of
 * an address are kept for some minutes; those of a file are read for each token.
 * <p>
 * Thread: any but event loops, for the issuer may answer slowly. Failure: keys that cannot be had are an exception; a
 * token that is not valid is refused with the reason.
 */
public final class JwtTokens implements TokenAuthenticator {
    private static final Duration ANSWER_MAX = Duration.ofSeconds(3);

    private final Oauth settings;
    private final NimbusJwtDecoder decoder;

    /** @param settings that name the keys, the issuer and the audience */
    public JwtTokens(Oauth settings) {
        this.settings = settings;
        File file = settings.jwksFile();
        this.decoder = file == null
                ? NimbusJwtDecoder.withJwkSetUri(settings.jwks())
                        .restOperations(impatient())
                        .validateType(false) // the processor does
                        .jwsAlgorithms(JwtTokens::addAll)
                        .jwtProcessorCustomizer(JwtTokens::takeAccessTokens)
                        .build()
                : NimbusJwtDecoder.withJwkSource(keysOf(file))
                        .jwsAlgorithms(JwtTokens::addAll)
                        .jwtProcessorCustomizer(JwtTokens::takeAccessTokens)
                        .build();
        decoder.setJwtValidator(new DelegatingOAuth2TokenValidator<>(
                new JwtTimestampValidator(),
                new JwtIssuerValidator(settings.issuer()),
                new JwtAudienceValidator(settings.audience()),
                notExpired()));
    }

    /** Asks an issuer, and lets a login wait for it no longer than clients wait. */
    private static RestTemplate impatient() {
        SimpleClientHttpRequestFactory requests = new SimpleClientHttpRequestFactory();
        requests.setConnectTimeout(ANSWER_MAX);
        requests.setReadTimeout(ANSWER_MAX);
        return new RestTemplate(requests);
    }

    /** Takes every algorithm with public keys; none has a secret that a token could be signed with. */
    private static void addAll(Set<SignatureAlgorithm> algorithms) {
        algorithms.addAll(Arrays.asList(SignatureAlgorithm.values()));
    }

    /** Takes the type of RFC 9068 beside the general one, and tokens without a type. */
    private static void takeAccessTokens(ConfigurableJWTProcessor<SecurityContext> processor) {
        processor.setJWSTypeVerifier(new DefaultJOSEObjectTypeVerifier<>(
                JOSEObjectType.JWT, new JOSEObjectType("at+jwt"), new JOSEObjectType("application/at+jwt"), null));
    }

    private static JWKSource<SecurityContext> keysOf(File file) {
        return (selector, context) -> {
            try {
                return selector.select(JWKSet.load(file));
            } catch (IOException | ParseException e) {
                throw new KeySourceException(file + " cannot be read as a set of keys", e);
            }
        };
    }

    /** Demands an expiry, without the minute that clocks may differ by: the connection ends at it. */
    private static OAuth2TokenValidator<Jwt> notExpired() {
        OAuth2Error expired = new OAuth2Error("invalid_token", "it has expired, or does not say when it will", null);
        return token -> token.getExpiresAt() != null && token.getExpiresAt().isAfter(Instant.now())
                ? OAuth2TokenValidatorResult.success()
                : OAuth2TokenValidatorResult.failure(expired);
    }

    @Override
    public VerifiedToken check(String token, Consumer<String> refused) {
        try {
            Jwt valid = decoder.decode(token);
            String name = valid.getClaimAsString(settings.nameClaim());
            if (name == null || name.isEmpty()) {
                refused.accept("it has no claim " + settings.nameClaim());
                return null;
            }
            return new VerifiedToken(name, groups(valid.getClaims().get(settings.groupsClaim())), valid.getExpiresAt());
        } catch (BadJwtException e) {
            refused.accept(e.getMessage());
            return null;
        }
    }

    /** Reads a list, or words between blanks, as the claim {@code scope} has them. */
    private static Set<String> groups(Object claim) {
        if (claim instanceof Collection<?> list) {
            return list.stream().map(String::valueOf).collect(Collectors.toUnmodifiableSet());
        }
        return claim instanceof String words && !words.isBlank()
                ? Set.copyOf(Arrays.asList(words.strip().split(" +")))
                : Set.of();
    }
}

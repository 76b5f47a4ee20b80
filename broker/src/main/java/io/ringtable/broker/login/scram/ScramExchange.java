package io.ringtable.broker.login.scram;

import io.ringtable.wire.ScramHash;
import io.ringtable.wire.ScramVerifier;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.security.sasl.SaslException;

/**
 * Holds the server's side of one exchange of SCRAM (RFC 5802 sections 5 and 7), without channel binding. Reads the
 * client's two messages and writes two answers. Costs a few hashes, whatever the iterations of the verifier.
 * <p>
 * Not thread-safe. Failure: a message that is none, or that asks for what is not offered, is a {@link SaslException}
 * that says why; the exchange is then over.
 */
public final class ScramExchange {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int NONCE_BYTES = 18; // 24 characters of Base64

    /**
     * The client's first message: a header that asks for no channel binding, perhaps another identity, then the name
     * and a printable nonce. Extensions follow.
     */
    private static final Pattern CLIENT_FIRST =
            Pattern.compile("(?<header>[ny],(?:a=(?<identity>[^,]+))?,)(?<bare>n=(?<name>[^,]+),"
                    + "r=(?<nonce>[\\x21-\\x2b\\x2d-\\x7e]+)(?:,.*)?)");

    private static final Pattern CLIENT_FINAL = Pattern.compile(
            "(?<unproved>c=(?<header>[A-Za-z0-9+/=]+),r=(?<nonce>[^,]+)(?:,.*)?),p=(?<proof>[A-Za-z0-9+/=]+)");

    private static final Pattern BAD_ESCAPE = Pattern.compile("=(?!2C|3D)");

    private final String name;
    private final String header;
    private final String clientFirstBare;
    private final String serverFirst;
    private final String nonce;
    private final ScramVerifier verifier;
    private byte[] authMessage; // once the client's final message is here
    private byte[] proof;

    private ScramExchange(Matcher first, String name, ScramVerifier verifier) {
        this.name = name;
        this.verifier = verifier;
        this.header = first.group("header");
        this.clientFirstBare = first.group("bare");
        byte[] random = new byte[NONCE_BYTES];
        RANDOM.nextBytes(random);
        this.nonce = first.group("nonce") + Base64.getEncoder().encodeToString(random);
        this.serverFirst = "r=" + nonce + ",s=" + Base64.getEncoder().encodeToString(verifier.salt()) + ",i="
                + verifier.iterations();
    }

    /** Reads the client's first message. */
    public static ScramExchange begin(ScramHash hash, byte[] clientFirst, ScramVerifiers verifiers)
            throws SaslException {
        String text = new String(clientFirst, StandardCharsets.UTF_8);
        if (text.startsWith("p=")) {
            throw new SaslException("the client asks for channel binding, which is not offered");
        }
        Matcher first = CLIENT_FIRST.matcher(text);
        if (!first.matches()) {
            throw new SaslException("the first message is none of SCRAM's, or has an extension that is not known");
        }
        String name = unescaped(first.group("name"));
        String identity = first.group("identity");
        if (identity != null && !unescaped(identity).equals(name)) {
            throw new SaslException("the client asks for another identity than its own");
        }
        return new ScramExchange(first, name, verifiers.of(hash, name));
    }

    private static String unescaped(String saslName) throws SaslException {
        if (BAD_ESCAPE.matcher(saslName).find()) {
            throw new SaslException("a name has '=' that is not escaped");
        }
        return saslName.replace("=2C", ",").replace("=3D", "=");
    }

    /** Returns the name that the client gives itself; not proved yet. */
    public String name() {
        return name;
    }

    /** Returns the answer to the first message: nonce, salt and iterations. */
    public byte[] serverFirst() {
        return serverFirst.getBytes(StandardCharsets.UTF_8);
    }

    /** Reads the client's final message, and does not judge it yet. */
    public void readFinal(byte[] clientFinal) throws SaslException {
        Matcher last = CLIENT_FINAL.matcher(new String(clientFinal, StandardCharsets.UTF_8));
        if (!last.matches()) {
            throw new SaslException("the final message is none of SCRAM's");
        }
        String sent = Base64.getEncoder().encodeToString(header.getBytes(StandardCharsets.UTF_8));
        if (!last.group("header").equals(sent)) {
            throw new SaslException("the final message repeats another header than the first one had");
        }
        if (!last.group("nonce").equals(nonce)) {
            throw new SaslException("the final message has another nonce");
        }
        try {
            proof = Base64.getDecoder().decode(last.group("proof"));
        } catch (IllegalArgumentException e) {
            throw new SaslException("the proof is not Base64", e);
        }
        authMessage =
                (clientFirstBare + "," + serverFirst + "," + last.group("unproved")).getBytes(StandardCharsets.UTF_8);
    }

    /** Tells whether the final message proves that the client knows the user's password. */
    public boolean isProved() {
        return verifier.accepts(proof, authMessage);
    }

    /** Returns the answer to a proof that was right. */
    public byte[] serverFinal() {
        return ("v=" + Base64.getEncoder().encodeToString(verifier.serverSignature(authMessage)))
                .getBytes(StandardCharsets.UTF_8);
    }
}

package org.gridfarm.metaserver.token;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.RSAKey;

import org.gridfarm.protocol.auth.x509.SecretFile;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.nio.file.Path;
import java.text.ParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The public keys of an issuer, as his JWKS document has them. One that cannot sign RS256 or ES256
 * is left out; a secret one is an error, since that file is not for secrets. Immutable.
 */
final class IssuerKeys {
    /** Of an issuer of whom none is known: nothing is signed by him. */
    static final IssuerKeys NONE = new IssuerKeys(List.of());

    private static final int RSA_BITS_MIN = 2048;
    private static final int RSA_BITS_MAX = 8192;

    private final List<JWK> keys;

    private IssuerKeys(List<JWK> keys) {
        this.keys = List.copyOf(keys);
    }

    static IssuerKeys load(Path file) {
        return of(parse(SecretFile.readPublic(file), file), file.toString());
    }

    private static JWKSet parse(String text, Path file) {
        try {
            return JWKSet.parse(text);
        } catch (ParseException | RuntimeException e) { // it does not foresee all
            throw wrong(file.toString(), "no JWKS document");
        }
    }

    static IssuerKeys of(JWKSet set, String source) {
        List<JWK> usable = new ArrayList<>();
        for (JWK key : set.getKeys()) {
            if (key.isPrivate()) throw wrong(source, "it holds a secret key");
            if (isUsable(key)) usable.add(key);
        }
        if (usable.isEmpty()) throw wrong(source, "it holds no key for RS256 or ES256");
        return new IssuerKeys(usable);
    }

    private static FarmException wrong(String source, String why) {
        return new FarmException(ErrorKind.BAD_CONFIGURATION, "read token keys", source, why);
    }

    private static boolean isUsable(JWK key) {
        if (key.getKeyUse() != null && !KeyUse.SIGNATURE.equals(key.getKeyUse())) return false;
        return switch (key) {
            case RSAKey rsa -> rsa.size() >= RSA_BITS_MIN && rsa.size() <= RSA_BITS_MAX;
            case ECKey ec -> Curve.P_256.equals(ec.getCurve());
            default -> false;
        };
    }

    /**
     * Those that may have signed what names a key so (empty: names none), with that algorithm;
     * empty: none.
     */
    Optional<List<JWK>> of(String id, JWSAlgorithm algorithm) {
        List<JWK> found =
                keys.stream()
                        .filter(key -> id.isEmpty() || id.equals(key.getKeyID()))
                        .filter(key ->
                                key.getAlgorithm() == null || key.getAlgorithm().equals(algorithm))
                        .filter(key ->
                                key instanceof RSAKey == JWSAlgorithm.RS256.equals(algorithm))
                        .toList();
        return found.isEmpty() ? Optional.empty() : Optional.of(found);
    }

    boolean hold(JWK key) {
        return keys.contains(key);
    }
}

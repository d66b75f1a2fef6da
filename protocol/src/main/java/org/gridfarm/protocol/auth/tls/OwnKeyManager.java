package org.gridfarm.protocol.auth.tls;

import org.gridfarm.protocol.auth.x509.Credential;
import org.jspecify.annotations.Nullable;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.function.Supplier;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;

/**
 * Offers this process's one credential to whoever asks for its kind of key. It ignores the peer's
 * list of authorities: a proxy is issued by a person, who is on no such list. The credential may be
 * renewed while connections are made; a handshake that began with the previous one still finds it.
 */
final class OwnKeyManager extends X509ExtendedKeyManager {
    private record Offer(
            String alias,
            Credential credential,
            @Nullable Credential previous,
            String previousAlias) {}

    private final Supplier<Credential> source;
    private volatile Offer offer;
    private long renewals; // guarded by this

    OwnKeyManager(Supplier<Credential> source) {
        this.source = source;
        this.offer = new Offer("own-0", source.get(), null, "");
    }

    @Override
    public @Nullable String chooseEngineClientAlias(
            String[] keyTypes, Principal @Nullable [] issuers, SSLEngine engine) {
        return choose(keyTypes);
    }

    @Override
    public @Nullable String chooseEngineServerAlias(
            String keyType, Principal @Nullable [] issuers, SSLEngine engine) {
        return choose(keyType);
    }

    @Override
    public @Nullable String chooseClientAlias(
            String[] keyTypes, Principal @Nullable [] issuers, Socket socket) {
        return choose(keyTypes);
    }

    @Override
    public @Nullable String chooseServerAlias(
            String keyType, Principal @Nullable [] issuers, Socket socket) {
        return choose(keyType);
    }

    @Override
    public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
        String alias = choose(keyType);
        return alias == null ? null : new String[] {alias};
    }

    @Override
    public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
        return getClientAliases(keyType, issuers);
    }

    @Override
    public X509Certificate @Nullable [] getCertificateChain(String alias) {
        Credential credential = named(alias);
        return credential == null ? null : credential.chain().toArray(X509Certificate[]::new);
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(String alias) {
        Credential credential = named(alias);
        return credential == null ? null : credential.key();
    }

    private @Nullable String choose(String... keyTypes) {
        Offer current = current();
        return List.of(keyTypes).contains(current.credential.key().getAlgorithm())
                ? current.alias
                : null;
    }

    private @Nullable Credential named(@Nullable String alias) {
        Offer current = offer;
        if (current.alias.equals(alias)) {
            return current.credential;
        }
        return current.previousAlias.equals(alias) ? current.previous : null;
    }

    private Offer current() {
        Credential credential = source.get();
        return credential == offer.credential ? offer : renew(credential);
    }

    private synchronized Offer renew(Credential credential) {
        if (credential != offer.credential) {
            renewals++;
            offer = new Offer("own-" + renewals, credential, offer.credential, offer.alias);
        }
        return offer;
    }
}

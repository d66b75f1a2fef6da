package org.gridfarm.scheduler.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.auth.GridMap;
import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.auth.tls.AuthenticatedPeer;
import org.gridfarm.protocol.auth.x509.AuthenticatedChain;
import org.gridfarm.protocol.auth.x509.CertificateAuthority;
import org.gridfarm.protocol.auth.x509.ChainValidator;
import org.gridfarm.protocol.auth.x509.ChainValidator.Part;
import org.gridfarm.protocol.auth.x509.Credential;
import org.gridfarm.protocol.auth.x509.Pem;
import org.gridfarm.protocol.auth.x509.ProxyKey;
import org.gridfarm.protocol.auth.x509.ProxyMaker;
import org.gridfarm.protocol.auth.x509.RevocationPolicy;
import org.gridfarm.protocol.auth.x509.TrustStore;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.Delegation;
import org.gridfarm.protocol.wire.RunTaskReply;
import org.gridfarm.protocol.wire.RunTaskRequest;
import org.gridfarm.scheduler.queue.JobStore.KeptProxy;
import org.gridfarm.scheduler.worker.Runner;
import org.junit.jupiter.api.Test;

import java.lang.reflect.Proxy;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Real chains and keys; the connection alone is told, not made. */
class DelegationsTest {
    private static final Instant NOW = Instant.now();
    private static final ProxyMaker.Options FOR_TASKS =
            ProxyMaker.Options.usual().asLimited().withPathLength(0);

    private final CertificateAuthority authority =
            CertificateAuthority.create("/O=Grid/CN=CA", NOW);
    private final ChainValidator validator;
    private final Credential alice = authority.issueUser("/O=Grid/CN=Alice", NOW);
    private final Credential mallory = authority.issueUser("/O=Grid/CN=Mallory", NOW);
    private final Delegations delegations = new Delegations(this::judge, Clock.system());

    DelegationsTest() throws GeneralSecurityException {
        validator =
                new ChainValidator(
                        TrustStore.of(
                                List.of(authority.certificate()),
                                List.of(),
                                RevocationPolicy.WHEN_PRESENT));
    }

    private AuthenticatedPeer judge(List<X509Certificate> certificates) {
        try {
            AuthenticatedChain chain = validator.validate(certificates, Part.CLIENT, NOW);
            String user = chain.dn().endsWith("Alice") ? "alice" : "mallory";
            Identity identity =
                    new Identity(
                            chain.dn(),
                            Role.USER,
                            List.of(user),
                            Optional.empty(),
                            chain.limited());
            return new AuthenticatedPeer(chain, Optional.of(identity), GridMap::empty);
        } catch (CertificateException e) {
            throw new FarmException(
                    ErrorKind.NOT_AUTHENTICATED,
                    "authenticate",
                    "",
                    String.valueOf(e.getMessage()),
                    e);
        }
    }

    /** Who showed that credential. */
    private Peer connection(Credential of) {
        AuthenticatedPeer who = judge(of.chain());
        return (Peer)
                Proxy.newProxyInstance(
                        Peer.class.getClassLoader(),
                        new Class<?>[] {Peer.class},
                        (_, method, _) ->
                                switch (method.getName()) {
                                    case "identity" -> who.identity();
                                    case "keyBinding" -> who.chain().keyBinding();
                                    default ->
                                            throw new UnsupportedOperationException(
                                                    method.getName());
                                });
    }

    private Delegation sign(Credential by, byte[] request, long number)
            throws GeneralSecurityException {
        return message(ProxyMaker.sign(by, ProxyKey.in(request), FOR_TASKS, NOW), number);
    }

    private static Delegation message(List<X509Certificate> chain, long number)
            throws CertificateException {
        Delegation.Builder message = Delegation.newBuilder().setNumber(number);
        for (X509Certificate certificate : chain) {
            message.addChain(ByteString.copyFrom(certificate.getEncoded()));
        }
        return message.build();
    }

    @Test
    void whatIsSignedOnTheConnectionOfTheSamePersonIsKept() throws GeneralSecurityException {
        Peer caller = connection(alice);
        byte[] request = delegations.request(caller, 7);
        KeptProxy kept = delegations.accept(caller, sign(alice, request, 7));
        assertThat(kept.pem().toStringUtf8()).contains("PRIVATE KEY");
        assertThat(kept.toString()).doesNotContain("KEY");
        List<X509Certificate> chain = Pem.certificates(kept.pem().toStringUtf8());
        assertThat(judge(chain).chain().limited()).isTrue();
        assertThat(judge(chain).identity().user()).isEqualTo("alice");
        assertThat(kept.untilMillis()).isEqualTo(chain.get(0).getNotAfter().getTime());
    }

    @Test
    void fromAProxyAsWellAsFromACertificate() throws GeneralSecurityException {
        Credential proxy = ProxyMaker.make(alice, ProxyMaker.Options.usual(), NOW);
        Peer caller = connection(proxy);
        KeptProxy kept = delegations.accept(caller, sign(proxy, delegations.request(caller, 7), 7));
        assertThat(Pem.certificates(kept.pem().toStringUtf8())).hasSizeGreaterThanOrEqualTo(3);
    }

    @Test
    void nobodySignsForAnother() throws GeneralSecurityException {
        Peer caller = connection(alice);
        byte[] request = delegations.request(caller, 7);
        assertThatThrownBy(() -> delegations.accept(caller, sign(mallory, request, 7)))
                .hasMessageContaining("another certificate");
        assertThatThrownBy(() -> delegations.accept(connection(mallory), sign(mallory, request, 7)))
                .isInstanceOfSatisfying(
                        FarmException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.STALE));
        Credential again = authority.issueUser("/O=Grid/CN=Alice", NOW); // another key
        assertThatThrownBy(() -> delegations.accept(caller, sign(again, request, 7)))
                .hasMessageContaining("another certificate");
    }

    @Test
    void aChainThatDoesNotStandIsRefused() throws GeneralSecurityException {
        Peer caller = connection(alice);
        byte[] request = delegations.request(caller, 7);
        Credential stranger =
                CertificateAuthority.create("/O=Other/CN=CA", NOW)
                        .issueUser("/O=Grid/CN=Alice", NOW);
        assertThatThrownBy(() -> delegations.accept(caller, sign(stranger, request, 7)))
                .hasMessageContaining("not issued by a trusted authority");
        byte[] other = ProxyKey.make().request();
        assertThatThrownBy(() -> delegations.accept(caller, sign(alice, other, 7)))
                .hasMessageContaining("not for the key");
        Delegation noise =
                Delegation.newBuilder()
                        .setNumber(7)
                        .addChain(ByteString.copyFromUtf8("no certificate"))
                        .build();
        assertThatThrownBy(() -> delegations.accept(caller, noise))
                .isInstanceOf(FarmException.class)
                .hasMessageContaining("no certificate");
    }

    @Test
    void onePersonTakesNotAllKeys() {
        Peer caller = connection(mallory);
        for (int i = 0; i < Delegations.KEYS_OF_ONE_MAX; i++) {
            delegations.request(caller, i);
        }
        assertThat(delegations.request(caller, 0)).isNotEmpty(); // an old one
        assertThatThrownBy(() -> delegations.request(caller, -1))
                .hasMessageContaining("keys of yours");
        assertThat(delegations.request(connection(alice), 1)).isNotEmpty();
    }

    @Test
    void attemptsGetTheProxyOfTheirJobWhileItLasts() {
        List<String> told = new ArrayList<>();
        CompletableFuture<RunTaskReply> first = new CompletableFuture<>();
        Runner nodes = new TestedNodes(told, first);
        DelegatedRunner runner = new DelegatedRunner(nodes, delegations);
        long later = NOW.toEpochMilli() + 60_000;
        delegations.hold(1, new KeptProxy(ByteString.copyFromUtf8("one"), later));
        delegations.hold(11, new KeptProxy(ByteString.copyFromUtf8("eleven"), later));
        delegations.hold(2, new KeptProxy(ByteString.copyFromUtf8("over"), 1));
        runner.run("n1:1", RunTaskRequest.newBuilder().setTask("1.0.1").build());
        runner.run("n1:1", RunTaskRequest.newBuilder().setTask("11.0.1").build());
        runner.run("n1:1", RunTaskRequest.newBuilder().setTask("2.0.1").build());
        runner.run("n1:1", RunTaskRequest.newBuilder().setTask("3.0.1").build());
        assertThat(told).containsExactly("1.0.1=one", "11.0.1=eleven", "2.0.1=", "3.0.1=");
        told.clear();
        delegations.hold(1, new KeptProxy(ByteString.copyFromUtf8("next"), later));
        runner.renew(1);
        assertThat(told).containsExactly("renewed 1.0.1=next");
        told.clear();
        first.complete(RunTaskReply.getDefaultInstance());
        runner.renew(1);
        assertThat(told).isEmpty();
        delegations.keepOnly(job -> job == 11);
        assertThat(delegations.held()).isEqualTo(1);
    }

    private record TestedNodes(List<String> told, CompletableFuture<RunTaskReply> outcome)
            implements UnaskedRunner {
        @Override
        public CompletableFuture<RunTaskReply> run(String address, RunTaskRequest request) {
            told.add(request.getTask() + "=" + request.getProxy().toStringUtf8());
            return outcome;
        }

        @Override
        public CompletableFuture<Void> renewProxy(
                String address, String attempt, ByteString proxy) {
            told.add("renewed " + attempt + "=" + proxy.toStringUtf8());
            return CompletableFuture.completedFuture(null);
        }
    }
}

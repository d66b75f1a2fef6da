package org.gridfarm.protocol.auth.x509;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.gridfarm.protocol.auth.x509.Grid.ALICE_DN;
import static org.gridfarm.protocol.auth.x509.Grid.NOW;
import static org.gridfarm.protocol.auth.x509.Grid.limitedProxyOf;
import static org.gridfarm.protocol.auth.x509.Grid.proxyOf;

import org.gridfarm.protocol.auth.x509.ChainValidator.Part;
import org.gridfarm.protocol.auth.x509.Grid.Forgery;
import org.junit.jupiter.api.Test;

import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.CertificateException;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

class ChainValidatorTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private final Grid grid = new Grid();
    private final ChainValidator validator = grid.validator();

    ChainValidatorTest() throws GeneralSecurityException {}

    private AuthenticatedChain accepted(Credential credential) throws CertificateException {
        return validator.validate(credential.chain(), Part.CLIENT, NOW);
    }

    private void refused(Credential credential, String says) {
        refused(validator, credential.chain(), Part.CLIENT, says);
    }

    private static void refused(
            ChainValidator judge, List<X509Certificate> chain, Part part, String says) {
        assertThatExceptionOfType(CertificateException.class)
                .isThrownBy(() -> judge.validate(chain, part, NOW))
                .withMessageContaining(says);
    }

    // ---- what passes

    @Test
    void aUserPassesUnderHisOwnName() throws GeneralSecurityException {
        AuthenticatedChain chain = accepted(grid.alice);
        assertThat(chain.dn()).isEqualTo(ALICE_DN);
        assertThat(chain.issuerDn()).isEqualTo("/O=Grid/CN=CA");
        assertThat(chain.depth()).isZero();
        assertThat(chain.limited()).isFalse();
    }

    @Test
    void proxiesOfBothKindsOfKeysPassAsTheirUserAndBindTheSameKey()
            throws GeneralSecurityException {
        ProxyMaker.Options rsa = ProxyMaker.Options.usual().withKey(ProxyMaker.KeyKind.RSA_2048);
        Credential one = ProxyMaker.make(grid.alice, rsa, NOW);
        Credential two = proxyOf(one);
        Credential three = ProxyMaker.make(two, rsa.withLifetime(Duration.ofMinutes(5)), NOW);
        AuthenticatedChain chain = accepted(three);
        assertThat(chain.dn()).isEqualTo(ALICE_DN);
        assertThat(chain.depth()).isEqualTo(3);
        assertThat(chain.limited()).isFalse();
        assertThat(chain.notAfter()).isEqualTo(NOW.plus(Duration.ofMinutes(5)));
        assertThat(chain.keyBinding()).isEqualTo(accepted(grid.alice).keyBinding());
    }

    @Test
    void aLimitedProxyIsKnownAndItsProxiesAreLimitedWhateverWasAsked()
            throws GeneralSecurityException {
        assertThat(accepted(limitedProxyOf(grid.alice)).limited()).isTrue();
        assertThat(accepted(proxyOf(limitedProxyOf(grid.alice))).limited()).isTrue();
        assertThat(accepted(limitedProxyOf(proxyOf(grid.alice))).limited()).isTrue();
    }

    @Test
    void theAuthorityMayBeSentAlongAndAnIntermediateMustBe() throws GeneralSecurityException {
        CertificateAuthority below = grid.authority.issueAuthority("/O=Grid/CN=Sub CA", NOW);
        Credential bob = below.issueUser("/O=Grid/CN=Bob", NOW);
        assertThat(accepted(proxyOf(bob)).issuerDn()).isEqualTo("/O=Grid/CN=Sub CA");
        refused(validator, bob.chain().subList(0, 1), Part.CLIENT, "trusted authority");

        List<X509Certificate> withRoot = new ArrayList<>(bob.chain());
        withRoot.add(grid.authority.certificate());
        assertThat(validator.validate(withRoot, Part.CLIENT, NOW).dn()).isEqualTo("/O=Grid/CN=Bob");
    }

    // ---- time

    @Test
    void certificatesOutOfTheirTimeAreRefusedToTheSecond() throws GeneralSecurityException {
        refused(
                grid.issue(
                        "/CN=x",
                        NOW.minus(HOUR),
                        NOW.minusSeconds(1),
                        CertificateWriter::notAuthority),
                "expired");
        refused(
                grid.issue(
                        "/CN=x",
                        NOW.plusSeconds(1),
                        NOW.plus(HOUR),
                        CertificateWriter::notAuthority),
                "valid only from");
        refused(
                new Forgery(grid.alice).between(NOW.minus(HOUR), NOW.minusSeconds(1)).make(),
                "expired");
        refused(
                new Forgery(grid.alice).between(NOW.plusSeconds(1), NOW.plus(HOUR)).make(),
                "valid only from");
        Credential lasting = new Forgery(grid.alice).between(NOW.minus(HOUR), NOW).make();
        assertThat(accepted(lasting).notAfter()).isEqualTo(NOW);
    }

    @Test
    void aLivingProxyOfAnExpiredUserIsRefused() throws GeneralSecurityException {
        Credential late =
                grid.issue(
                        "/CN=x",
                        NOW.minus(HOUR),
                        NOW.minusSeconds(1),
                        CertificateWriter::notAuthority);
        refused(new Forgery(late).make(), "expired");
    }

    @Test
    void anExpiredAuthorityCarriesNobody() throws GeneralSecurityException {
        Instant past = NOW.minus(Duration.ofDays(10));
        CertificateAuthority old =
                CertificateAuthority.create(
                        "/O=Old/CN=CA", past, Duration.ofDays(9), OptionalInt.empty());
        Credential user =
                Grid.issue(old, "/CN=x", past, NOW.plus(HOUR), CertificateWriter::notAuthority);
        refused(
                new ChainValidator(TrustStore.of(old.certificate())),
                user.chain(),
                Part.CLIENT,
                "expired");
    }

    // ---- authorities

    @Test
    void unknownAndImpostorAuthoritiesAreRefused() throws GeneralSecurityException {
        CertificateAuthority unknown = CertificateAuthority.create("/O=Other/CN=CA", NOW);
        refused(unknown.issueUser(ALICE_DN, NOW), "not issued by a trusted authority");

        CertificateAuthority impostor = CertificateAuthority.create("/O=Grid/CN=CA", NOW);
        Credential false1 = impostor.issueUser(ALICE_DN, NOW);
        refused(false1, "chain refused");
        refused(proxyOf(false1), "chain refused");
        refused(
                validator,
                List.of(false1.certificate(), impostor.certificate()),
                Part.CLIENT,
                "chain refused");
    }

    @Test
    void duringAChangeOfKeysBothAuthoritiesOfOneNameCarry() throws GeneralSecurityException {
        CertificateAuthority next = CertificateAuthority.create("/O=Grid/CN=CA", NOW);
        ChainValidator both =
                new ChainValidator(TrustStore.of(next.certificate(), grid.authority.certificate()));
        assertThat(both.validate(grid.alice.chain(), Part.CLIENT, NOW).dn()).isEqualTo(ALICE_DN);
        assertThat(both.validate(next.issueUser(ALICE_DN, NOW).chain(), Part.CLIENT, NOW).dn())
                .isEqualTo(ALICE_DN);
    }

    @Test
    void aUserIsNoAuthority() throws GeneralSecurityException {
        Credential forged =
                issuedBy(grid.alice, "/O=Grid/CN=Root", writer -> writer.notAuthority());
        refused(forged, "chain refused");
    }

    @Test
    void pathLengthsOfAuthoritiesCount() throws GeneralSecurityException {
        CertificateAuthority zero =
                CertificateAuthority.create("/O=Zero/CN=CA", NOW, HOUR, OptionalInt.of(0));
        ChainValidator judge = new ChainValidator(TrustStore.of(zero.certificate()));
        Credential direct = zero.issueUser("/CN=x", NOW);
        assertThat(judge.validate(direct.chain(), Part.CLIENT, NOW).dn()).isEqualTo("/CN=x");
        Credential under = zero.issueAuthority("/O=Zero/CN=Sub", NOW).issueUser("/CN=x", NOW);
        refused(judge, under.chain(), Part.CLIENT, "more authorities");

        CertificateAuthority sub =
                grid.authority.issueAuthority("/O=Grid/CN=Sub", NOW); // itself of path length 0
        refused(
                sub.issueAuthority("/O=Grid/CN=Sub Sub", NOW).issueUser("/CN=x", NOW),
                "chain refused");
    }

    @Test
    void anAuthoritysOwnCertificateIsNobodysIdentity() {
        refused(grid.authority.self(), "authority stands where");
    }

    @Test
    void onlyAuthoritiesCanBeTrusted() {
        assertThatExceptionOfType(CertificateException.class)
                .isThrownBy(() -> TrustStore.of(grid.alice.certificate()))
                .withMessageContaining("not a certificate of an authority");
    }

    // ---- end entities

    @Test
    void keyUsageAndPurposeCount() throws GeneralSecurityException {
        Instant end = NOW.plus(HOUR);
        refused(
                grid.issue(
                        "/CN=x",
                        NOW,
                        end,
                        w -> w.notAuthority().keyUsage(CertificateWriter.KEY_ENCIPHERMENT)),
                "digital signatures");
        refused(
                grid.issue(
                        "/CN=x",
                        NOW,
                        end,
                        w -> w.notAuthority().extendedKeyUsage(CertificateWriter.SERVER_AUTH)),
                "not for this side");
        refused(validator, grid.alice.chain(), Part.SERVER, "not for this side");
        refused(
                grid.issue(
                        "/CN=x",
                        NOW,
                        end,
                        w -> w.notAuthority().extension("1.2.3.4", true, Der.nothing())),
                "chain refused");
        Credential host =
                grid.authority.issueHost("/O=Grid/CN=n1", List.of("n1.example", "127.0.0.1"), NOW);
        assertThat(validator.validate(host.chain(), Part.SERVER, NOW).dn())
                .isEqualTo("/O=Grid/CN=n1");
        assertThat(validator.validate(host.chain(), Part.CLIENT, NOW).dn())
                .isEqualTo("/O=Grid/CN=n1");
    }

    @Test
    void aServerNeverComesWithAProxy() throws GeneralSecurityException {
        Credential host = grid.authority.issueHost("/O=Grid/CN=n1", List.of("n1.example"), NOW);
        refused(validator, proxyOf(host).chain(), Part.SERVER, "never a proxy");
    }

    @Test
    void weakAndOversizedKeysAreRefused() throws GeneralSecurityException {
        refused(new Forgery(grid.alice).keys(Algorithms.newRsaKeys(1024)).make(), "1024 bits");
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new java.security.spec.ECGenParameterSpec("secp384r1"));
        KeyPair p384 = generator.generateKeyPair();
        assertThat(accepted(proxyOf(new Forgery(grid.alice).keys(p384).make())).depth())
                .isEqualTo(2);
    }

    @Test
    void tooLongAndEmptyChainsAreRefused() throws GeneralSecurityException {
        Credential six = grid.alice;
        for (int i = 0; i < ChainValidator.PROXIES_MAX; i++) {
            six = proxyOf(six);
        }
        assertThat(accepted(six).depth()).isEqualTo(6);
        refused(proxyOf(six), "7 proxies");
        refused(proxyOf(proxyOf(six)), "chain of 9");
        refused(validator, List.of(), Part.CLIENT, "chain of 0");
    }

    @Test
    void ambiguousNamesAreRefused() throws GeneralSecurityException {
        for (byte[] rdn :
                List.of(
                        cn(Der.utf8("Eve/CN=Alice")),
                        cn(Der.utf8("Alice\u0000")),
                        cn(Der.utf8("Alice\n")),
                        cn(Der.element(Der.T61_STRING, new byte[] {'A', (byte) 0xe4})),
                        cn(Der.element(Der.UTF8_STRING, new byte[] {(byte) 0xc3})),
                        cn(Der.element(0x1c, new byte[] {0, 0, 0, 'A'})),
                        Der.set(
                                Der.sequence(Der.oid("2.5.4.3"), Der.utf8("A")),
                                Der.sequence(Der.oid("2.5.4.10"), Der.utf8("B"))))) {
            assertThatExceptionOfType(CertificateException.class)
                    .isThrownBy(() -> DistinguishedName.ofDer(Der.sequence(rdn)))
                    .withMessageContaining("name has");
        }
        DistinguishedName slash =
                DistinguishedName.ofDer(Der.sequence(cn(Der.utf8("host/n1.example"))));
        assertThat(slash).hasToString("/CN=host/n1.example");
        DistinguishedName wide =
                DistinguishedName.ofDer(
                        Der.sequence(cn(Der.element(Der.BMP_STRING, new byte[] {0, 'A'}))));
        assertThat(wide).hasToString("/CN=A");
    }

    // ---- proxies

    @Test
    void policiesOtherThanInheritAllAndLimitedAreRefused() throws GeneralSecurityException {
        String independent = "1.3.6.1.5.5.7.21.2";
        refused(
                new Forgery(grid.alice)
                        .info(Der.sequence(Der.sequence(Der.oid(independent))))
                        .make(),
                "policy");
        refused(
                new Forgery(grid.alice).info(Der.sequence(Der.sequence(Der.oid("1.2.3.4")))).make(),
                "policy");
        byte[] withText =
                Der.sequence(
                        Der.sequence(
                                Der.oid(ProxyCertInfo.INHERIT_ALL), Der.octets(new byte[] {1})));
        refused(new Forgery(grid.alice).info(withText).make(), "policy");
    }

    @Test
    void malformedProxyInformationIsRefused() throws GeneralSecurityException {
        byte[] good = new ProxyCertInfo(false, OptionalInt.of(1)).der();
        for (int length = 0; length < good.length; length++) {
            refused(new Forgery(grid.alice).info(java.util.Arrays.copyOf(good, length)).make(), "");
        }
        refused(
                new Forgery(grid.alice).info(java.util.Arrays.copyOf(good, good.length + 1)).make(),
                "left over");
        byte[] policy = Der.sequence(Der.oid(ProxyCertInfo.INHERIT_ALL));
        refused(
                new Forgery(grid.alice).info(Der.sequence(Der.integer(-1), policy)).make(),
                "negative");
    }

    @Test
    void proxyInformationMustBeCritical() throws GeneralSecurityException {
        refused(new Forgery(grid.alice).notCritical().make(), "not critical");
    }

    @Test
    void oldGlobusProxiesAreRefused() throws GeneralSecurityException {
        Credential legacy = issuedBy(grid.alice, ALICE_DN + "/CN=proxy", writer -> writer);
        refused(legacy, "chain refused");
        String draft = "1.3.6.1.4.1.3536.1.222";
        refused(
                issuedBy(
                        grid.alice,
                        ALICE_DN + "/CN=1",
                        w -> w.extension(draft, true, Der.sequence())),
                "chain refused");
    }

    @Test
    void proxyNamesMustStandOneCommonNameBelowTheirIssuer() throws GeneralSecurityException {
        String says = "one CN added";
        refused(new Forgery(grid.alice).named("/O=Grid/OU=Users/CN=Bob/CN=1").make(), says);
        refused(new Forgery(grid.alice).named(ALICE_DN).make(), says);
        refused(new Forgery(grid.alice).named(ALICE_DN + "/CN=1/CN=2").make(), says);
        refused(new Forgery(grid.alice).named(ALICE_DN + "/OU=1").make(), says);
        refused(
                new Forgery(grid.alice).issuedInTheNameOf("/O=Grid/OU=Users/CN=Bob").make(),
                "another issuer");
    }

    @Test
    void aForeignKeyCannotSignAliceProxies() throws GeneralSecurityException {
        Credential eve = grid.authority.issueUser("/O=Grid/OU=Users/CN=Eve", NOW);
        refused(new Forgery(grid.alice).signedBy(eve).make(), "not signed by");
        Credential rsa = new Forgery(eve).keys(Algorithms.newRsaKeys(2048)).make();
        refused(new Forgery(grid.alice).signedBy(rsa).make(), "not signed by");
    }

    @Test
    void aProxyHasNoAuthorityNoOtherNameAndNoUnknownCriticalExtension()
            throws GeneralSecurityException {
        refused(
                new Forgery(grid.alice).with(w -> w.authority(OptionalInt.empty())).make(),
                "claims to be an authority");
        refused(
                new Forgery(grid.alice)
                        .with(w -> w.keyUsage(0, CertificateWriter.KEY_CERT_SIGN))
                        .make(),
                "key usage");
        refused(
                new Forgery(grid.alice)
                        .with(w -> w.keyUsage(CertificateWriter.KEY_ENCIPHERMENT))
                        .make(),
                "key usage");
        byte[] host = Der.sequence(Der.implicit(2, new byte[] {'a'}));
        refused(
                new Forgery(grid.alice)
                        .with(w ->
                                w.extension(
                                        CertificateWriter.SUBJECT_ALTERNATIVE_NAME, false, host))
                        .make(),
                "alternative name");
        refused(
                new Forgery(grid.alice)
                        .with(w ->
                                w.extension(CertificateWriter.ISSUER_ALTERNATIVE_NAME, false, host))
                        .make(),
                "alternative name");
        refused(
                new Forgery(grid.alice)
                        .with(w -> w.extension("1.2.3.4", true, Der.nothing()))
                        .make(),
                "not understood");
        refused(
                new Forgery(grid.alice)
                        .with(w -> w.extendedKeyUsage(CertificateWriter.SERVER_AUTH))
                        .make(),
                "not for this side");
        Credential harmless =
                new Forgery(grid.alice)
                        .with(w -> w.extension("1.2.3.4", false, Der.nothing()))
                        .make();
        assertThat(accepted(harmless).depth()).isEqualTo(1);
    }

    @Test
    void pathLengthsOfProxiesOnlyShrink() throws GeneralSecurityException {
        Credential none = proxyOf(grid.alice, 0);
        assertThat(accepted(none).depth()).isEqualTo(1);
        refused(new Forgery(none).make(), "deeper than a path length");
        assertThatExceptionOfType(GeneralSecurityException.class)
                .isThrownBy(() -> proxyOf(none))
                .withMessageContaining("path length 0");

        Credential widened =
                new Forgery(proxyOf(grid.alice, 1))
                        .info(new ProxyCertInfo(false, OptionalInt.of(5)).der())
                        .make();
        assertThat(accepted(widened).depth()).isEqualTo(2);
        refused(new Forgery(widened).make(), "deeper than a path length");
        assertThat(accepted(proxyOf(proxyOf(grid.alice, 1))).depth()).isEqualTo(2);
    }

    @Test
    void limitedSticks() throws GeneralSecurityException {
        refused(new Forgery(limitedProxyOf(grid.alice)).make(), "full proxy below a limited one");
        refused(
                new Forgery(proxyOf(limitedProxyOf(proxyOf(grid.alice)))).make(),
                "full proxy below a limited one");
    }

    @Test
    void proxiesWithoutTheirUserAndShuffledChainsAreRefused() throws GeneralSecurityException {
        List<X509Certificate> chain = proxyOf(proxyOf(grid.alice)).chain();
        refused(validator, chain.subList(0, 2), Part.CLIENT, "proxies only");
        refused(validator, List.of(chain.get(0), chain.get(2)), Part.CLIENT, "another issuer");
        refused(
                validator,
                List.of(chain.get(1), chain.get(0), chain.get(2)),
                Part.CLIENT,
                "another issuer");
        refused(validator, List.of(chain.get(2), chain.get(1)), Part.CLIENT, "trusted authority");
    }

    @Test
    void anExpiredCredentialMakesNoProxies() throws GeneralSecurityException {
        Credential late =
                new Forgery(grid.alice).between(NOW.minus(HOUR), NOW.minusSeconds(1)).make();
        assertThatExceptionOfType(GeneralSecurityException.class).isThrownBy(() -> proxyOf(late));
    }

    // ---- revocation

    @Test
    void theRevokedAndTheirProxiesAreRefused() throws GeneralSecurityException {
        Credential bob = grid.authority.issueUser("/CN=Bob", NOW);
        X509CRL list =
                RevocationLists.of(grid.authority, NOW, NOW.plus(HOUR), grid.alice.certificate());
        ChainValidator judge = judge(RevocationPolicy.REQUIRED, list);
        refused(judge, grid.alice.chain(), Part.CLIENT, "revoked");
        refused(judge, proxyOf(grid.alice).chain(), Part.CLIENT, "revoked");
        assertThat(judge.validate(proxyOf(bob).chain(), Part.CLIENT, NOW).dn())
                .isEqualTo("/CN=Bob");
    }

    @Test
    void anOldListStillRevokesAndDoesNotSufficeWhereOneIsRequired()
            throws GeneralSecurityException {
        Credential bob = grid.authority.issueUser("/CN=Bob", NOW);
        X509CRL old =
                RevocationLists.of(grid.authority, NOW.minus(HOUR), NOW, grid.alice.certificate());
        refused(
                judge(RevocationPolicy.WHEN_PRESENT, old),
                grid.alice.chain(),
                Part.CLIENT,
                "revoked");
        assertThat(
                        judge(RevocationPolicy.WHEN_PRESENT, old)
                                .validate(bob.chain(), Part.CLIENT, NOW)
                                .dn())
                .isEqualTo("/CN=Bob");
        refused(
                judge(RevocationPolicy.REQUIRED, old),
                bob.chain(),
                Part.CLIENT,
                "no current revocation list");
        refused(
                judge(RevocationPolicy.REQUIRED),
                bob.chain(),
                Part.CLIENT,
                "no current revocation list");
    }

    @Test
    void aListOfAnImpostorRevokesNobody() throws GeneralSecurityException {
        CertificateAuthority impostor = CertificateAuthority.create("/O=Grid/CN=CA", NOW);
        X509CRL list = RevocationLists.of(impostor, NOW, NOW.plus(HOUR), grid.alice.certificate());
        assertThat(
                        judge(RevocationPolicy.WHEN_PRESENT, list)
                                .validate(grid.alice.chain(), Part.CLIENT, NOW)
                                .dn())
                .isEqualTo(ALICE_DN);
        refused(
                judge(RevocationPolicy.REQUIRED, list),
                grid.alice.chain(),
                Part.CLIENT,
                "no current revocation list");
    }

    @Test
    void aRevokedIntermediateCarriesNobody() throws GeneralSecurityException {
        CertificateAuthority below = grid.authority.issueAuthority("/O=Grid/CN=Sub CA", NOW);
        Credential bob = below.issueUser("/O=Grid/CN=Bob", NOW);
        X509CRL list = RevocationLists.of(grid.authority, NOW, NOW.plus(HOUR), below.certificate());
        refused(judge(RevocationPolicy.WHEN_PRESENT, list), bob.chain(), Part.CLIENT, "revoked");
        X509CRL ofBelow = RevocationLists.of(below, NOW, NOW.plus(HOUR), bob.certificate());
        refused(judge(RevocationPolicy.WHEN_PRESENT, ofBelow), bob.chain(), Part.CLIENT, "revoked");
    }

    private ChainValidator judge(RevocationPolicy policy, X509CRL... lists)
            throws GeneralSecurityException {
        return new ChainValidator(
                TrustStore.of(List.of(grid.authority.certificate()), List.of(lists), policy));
    }

    private static byte[] cn(byte[] value) {
        return Der.set(Der.sequence(Der.oid("2.5.4.3"), value));
    }

    /** A certificate signed by a user as if he were an authority. */
    private static Credential issuedBy(
            Credential issuer,
            String dn,
            java.util.function.UnaryOperator<CertificateWriter> contents)
            throws GeneralSecurityException {
        KeyPair keys = Algorithms.newEcKeys();
        CertificateWriter writer =
                new CertificateWriter(
                        DistinguishedName.subjectOf(issuer.certificate()),
                        DistinguishedName.parse(dn),
                        keys.getPublic(),
                        NOW,
                        NOW.plus(HOUR));
        List<X509Certificate> chain = new ArrayList<>();
        chain.add(contents.apply(writer).sign(issuer.key()));
        chain.addAll(issuer.chain());
        return new Credential(chain, keys.getPrivate());
    }
}
